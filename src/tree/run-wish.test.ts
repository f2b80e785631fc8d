import { expect, it } from 'vitest'
import { runWish } from './run-wish.ts'

it('what follows /run is the prompt, and before it perhaps what the run is to do about files', () => {
  expect(runWish('look for herons')).toEqual({ prompt: 'look for herons' })
  expect(runWish('--files worktree look\nfor --files')).toEqual({
    prompt: 'look\nfor --files',
    files: 'worktree',
  })
  expect(runWish('--files=clean look')).toEqual({ prompt: 'look', files: 'clean' })
  expect(runWish('--files elsewhere look')).toEqual({ prompt: '--files elsewhere look' })
})
