import { expect, it } from 'vitest'
import { ageOf } from './age.ts'

const now = Date.UTC(2026, 5, 15, 12)
const minute = 60_000

it.each([
  [0, 'now'],
  [-5 * minute, 'now'],
  [minute - 1, 'now'],
  [3 * minute, '3 min ago'],
  [60 * minute, '1 h ago'],
  [23 * 60 * minute, '23 h ago'],
  [24 * 60 * minute, 'yesterday'],
  [3 * 24 * 60 * minute, '3 days ago'],
  [45 * 24 * 60 * minute, '2026-05-01'],
])('%i ms ago reads as "%s"', (age, words) => {
  expect(ageOf(now - age, now)).toBe(words)
})
