import { expect, test } from 'vitest'
import { quote } from './quote.ts'

test('a quotation is on one line, without control characters', () => {
  expect(quote(' two\n\tlines \u001b[31mred\r\n')).toBe('“two lines red”')
})

test('a long quotation is cut between characters as a person sees them', () => {
  const family = '👨‍👩‍👧‍👦'
  const cut = quote(family.repeat(50))
  expect(cut.length).toBeLessThanOrEqual(202)
  expect(cut.slice(1, -2).replaceAll(family, '')).toBe('')
  expect(cut.endsWith(`${family}…”`)).toBe(true)
})
