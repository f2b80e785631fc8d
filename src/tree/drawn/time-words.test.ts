import { expect, it } from 'vitest'
import { timeWords } from './time-words.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const now = Date.UTC(2026, 10, 16, 22, 30)

it.each([
  [0, 'now'],
  [20 * minute, 'in 20 min (22:50)'],
  [900, 'in 1 s (22:30)'],
  [30_000, 'in 30 s (22:30)'],
  [minute, 'in 1 min (22:31)'],
  [hour, 'today 23:30'],
  [2 * hour, 'tomorrow 00:30'],
  [day, 'tomorrow 22:30'],
  [3 * day, 'Thursday 22:30'],
  [40 * day, 'Sat 26 Dec 2026 22:30'],
])('%i ms from now is "%s"', (length, words) => {
  expect(timeWords(now + length, now, 'UTC')).toBe(words)
})

it('counts days as the calendar of the zone does', () => {
  expect(timeWords(now + hour, now, 'Asia/Tokyo')).toBe('today 08:30')
  expect(timeWords(now + hour, now, 'Europe/Berlin')).toBe('tomorrow 00:30')
})
