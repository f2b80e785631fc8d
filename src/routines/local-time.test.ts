import { expect, it } from 'vitest'
import { parseLocalTime } from './local-time.ts'

const at = (text: string, zone = 'Europe/Berlin') => new Date(parseLocalTime(text, zone)).toISOString()

it('a time without an offset is one of the zone', () => {
  expect(at('2026-12-24T18:00')).toBe('2026-12-24T17:00:00.000Z')
  expect(at('2026-07-24 18:00:30')).toBe('2026-07-24T16:00:30.000Z')
  expect(at('2026-12-24T18:00', 'America/New_York')).toBe('2026-12-24T23:00:00.000Z')
})

it('a time with an offset is the same everywhere', () => {
  expect(at('2026-12-24T18:00Z')).toBe('2026-12-24T18:00:00.000Z')
  expect(at('2026-12-24T18:00:00+05:30')).toBe('2026-12-24T12:30:00.000Z')
})

it('a time that summer time leaves out is an hour later, and of two the first', () => {
  expect(at('2026-03-29T02:30')).toBe('2026-03-29T01:30:00.000Z')
  expect(at('2026-10-25T02:30')).toBe('2026-10-25T00:30:00.000Z')
})

it.each([
  '',
  'tomorrow',
  '2026-12-24',
  '2026-02-30T08:00',
  '2026-13-01T08:00',
  '2026-12-24T25:00',
  '2026-12-24T8:00',
])('%j is no time, and how to write one is said', (text) => {
  expect(() => at(text)).toThrow(/is no time. Write it like 2026-12-24T18:00/)
})
