import { expect, it } from 'vitest'
import { cut, ends, filled } from './frame.ts'
import { createTheme } from './theme.ts'

const { paint } = createTheme('dark')

it('what is cut has no styles of its own, so that a whole line can be painted in one tone', () => {
  expect(cut('A long title', 6)).toBe('A lon…')
  expect(filled('木木木木', 6)).toBe('木木… ')
  expect(ends('A long title', ' Esc', 10)).toBe('A lon… Esc')
})

it('a style of the text ends where the text is cut', () => {
  expect(cut(paint('bad', 'A long title'), 6)).toContain('A lon\u001b[0m…')
})
