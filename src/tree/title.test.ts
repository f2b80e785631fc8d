import { expect, it } from 'vitest'
import { forkTitle, titleFromPrompt } from './title.ts'

it('the title comes from the first line of the prompt that says anything', () => {
  expect(titleFromPrompt('\n  \n  fix the\tparser \nand more')).toBe('fix the parser')
  expect(titleFromPrompt(' \n\t')).toBeNull()
})

it('a long title is cut between characters as a person sees them', () => {
  const family = '👨‍👩‍👧'
  const title = titleFromPrompt(family.repeat(40)) ?? ''
  expect(title.endsWith('…')).toBe(true)
  expect(title.length).toBeLessThanOrEqual(60)
  expect(title.replaceAll(family, '')).toBe('…')
})

it('control characters and escape sequences do not get into a title', () => {
  expect(titleFromPrompt('a\u001b[31mb\u0007c')).toBe('ab c')
})

it('a fork of a fork is titled like a fork', () => {
  expect(forkTitle(forkTitle('Soup'))).toBe('Fork of Soup')
})
