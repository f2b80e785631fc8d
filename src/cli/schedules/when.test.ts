import { describe, expect, it } from 'vitest'
import { UsageError } from '../usage-error.ts'
import { parseWhen } from './when.ts'

const minute = 60_000
const hour = 60 * minute
// A Monday in November, 10:15 on the clock of this machine.
const now = new Date(2026, 10, 16, 10, 15).getTime()

describe('a time as a person types it', () => {
  it.each([
    ['in 20 minutes', 20 * minute],
    ['20m', 20 * minute],
    ['20 min', 20 * minute],
    ['2h', 2 * hour],
    ['in an hour', hour],
    ['1h30m', 90 * minute],
    ['in 1 hour 30 minutes', 90 * minute],
    ['1.5h', 90 * minute],
    ['In  3 Days', 72 * hour],
    ['2 weeks', 14 * 24 * hour],
    ['90s', 90_000],
  ])('%s: so long from now', (typed, length) => {
    expect(parseWhen(typed, now)).toBe(now + length)
  })

  it.each([
    ['14:30', [2026, 10, 16, 14, 30]],
    ['at 14:30', [2026, 10, 16, 14, 30]],
    ['9:05', [2026, 10, 17, 9, 5]],
    ['10:15', [2026, 10, 17, 10, 15]],
    ['today 14:30', [2026, 10, 16, 14, 30]],
    ['tomorrow 14:30', [2026, 10, 17, 14, 30]],
    ['tomorrow at 14:30', [2026, 10, 17, 14, 30]],
    ['2026-12-24 18:00', [2026, 11, 24, 18, 0]],
    ['2026-12-24T18:00', [2026, 11, 24, 18, 0]],
  ] as const)('%s: by the clock of this machine, today or tomorrow where no day is named', (typed, parts) => {
    const [year, month, date, hours, minutes] = parts
    expect(parseWhen(typed, now)).toBe(new Date(year, month, date, hours, minutes).getTime())
  })

  it.each([
    ['2026-12-24T18:00:00+01:00', Date.UTC(2026, 11, 24, 17)],
    ['2026-12-24T18:00Z', Date.UTC(2026, 11, 24, 18)],
  ])('%s: with an offset', (typed, at) => {
    expect(parseWhen(typed, now)).toBe(at)
  })

  it.each(['', 'soon', '20', '20 parsecs', 'in', '2026-12-24', '14.30', '14:30 tomorrow or so'])(
    '"%s" is no time',
    (typed) => {
      expect(() => parseWhen(typed, now)).toThrow(UsageError)
      expect(() => parseWhen(typed, now)).toThrow(/is no time\. Say it like "in 20 minutes"/)
    },
  )

  it.each(['25:00', '14:75', '2027-02-30 12:00', '2026-13-01 12:00', '2026-12-24T25:00:00Z'])(
    '"%s" does not exist',
    (typed) => {
      expect(() => parseWhen(typed, now)).toThrow(/does not exist/)
    },
  )

  it.each(['2026-11-16 10:14', '2020-01-01 00:00', 'today 9:00', '2026-11-15T10:15:00Z', '0m'])(
    '"%s" is in the past',
    (typed) => {
      expect(() => parseWhen(typed, now)).toThrow(/is in the past/)
    },
  )

  it('has an end: ten years', () => {
    expect(() => parseWhen('99999 days', now)).toThrow(/ten years/)
    expect(() => parseWhen('9999999999999999999 days', now)).toThrow(/ten years/)
  })
})
