import { describe, expect, it } from 'vitest'
import { checkCron, nextDue } from './cron.ts'

const berlin = 'Europe/Berlin'

/** So many times after another, as UTC. */
function times(cron: string, zone: string, after: string, count: number): readonly (string | undefined)[] {
  let time: number | null = Date.parse(after)
  return Array.from({ length: count }, () => {
    time = time === null ? null : nextDue(cron, zone, time)
    return time === null ? undefined : new Date(time).toISOString().slice(5, 16)
  })
}

describe('a cron line', () => {
  it('is due strictly after a time, by the clock of its zone', () => {
    expect(times('0 8 * * *', 'UTC', '2026-01-01T07:59:59.999Z', 1)).toEqual(['01-01T08:00'])
    expect(times('0 8 * * *', 'UTC', '2026-01-01T08:00:00.000Z', 1)).toEqual(['01-02T08:00'])
    expect(times('0 8 * * *', 'UTC', '2026-01-01T08:00:00.001Z', 1)).toEqual(['01-02T08:00'])
    expect(times('0 8 * * *', 'America/New_York', '2026-01-01T00:00Z', 1)).toEqual(['01-01T13:00'])
    expect(times('0 8 * * 1-5', 'UTC', '2026-11-13T09:00Z', 2)).toEqual(['11-16T08:00', '11-17T08:00'])
    expect(times('@daily', 'UTC', '2026-11-13T09:00Z', 1)).toEqual(['11-14T00:00'])
    expect(nextDue('0 0 30 2 *', 'UTC', 0)).toBeNull()
  })

  it('comes once on the day that has no such time, at the first time after the gap', () => {
    const days = times('30 2 * * *', berlin, '2026-03-27T12:00Z', 3)
    expect(days).toEqual(['03-28T01:30', '03-29T01:00', '03-30T00:30'])
    const twice = times('30 2,14 * * *', berlin, '2026-03-28T20:00Z', 3)
    expect(twice).toEqual(['03-29T01:00', '03-29T12:30', '03-30T00:30'])
  })

  it('comes once on the day that has that time twice', () => {
    const days = times('30 2 * * *', berlin, '2026-10-24T12:00Z', 2)
    expect(days).toEqual(['10-25T00:30', '10-26T01:30'])
    const often = times('0,30 2-3 * * *', berlin, '2026-10-24T12:00Z', 5)
    expect(often).toEqual(['10-25T00:00', '10-25T00:30', '10-25T02:00', '10-25T02:30', '10-26T01:00'])
  })

  it('that names an interval keeps to it when the clocks change', () => {
    const hours = times('0 * * * *', berlin, '2026-10-24T23:30Z', 4)
    expect(hours).toEqual(['10-25T00:00', '10-25T01:00', '10-25T02:00', '10-25T03:00'])
    expect(times('0 * * * *', berlin, '2026-03-29T00:30Z', 2)).toEqual(['03-29T01:00', '03-29T02:00'])
  })
})

describe('what is wrong with a cron line is said, with a right one', () => {
  const refusal = (cron: string, zone = berlin) => {
    try {
      checkCron(cron, zone)
    } catch (error) {
      return error
    }
    return null
  }

  it.each(['0 8 * * 1-5', '*/15 8-17 * * MON-FRI', '@hourly', ' 0  0 29 2 * ', '0 0 L * *'])(
    '%j is right',
    (cron) => {
      expect(refusal(cron)).toBeNull()
    },
  )

  it.each([
    ['', 'it has 0 fields'],
    ['tomorrow', 'it has 1 field'],
    ['2027-01-01T00:00:00', 'it has 1 field'],
    ['0 8 * *', 'it has 4 fields'],
    ['0 25 * * *', 'hour: 25'],
    ['0 8 * * mo', 'mo'],
    ['9-5 8 * * *', '9-5'],
    ['@reboot', 'only @hourly, @daily'],
    ['@every 5m', 'only @hourly, @daily'],
    ['0 0 30 2 *', 'never comes'],
    ['* * * * * *', 'at most once a minute'],
    ['0 0 8 * * 1 2027', 'at most once a minute'],
  ])('%j', (cron, words) => {
    const error = refusal(cron)
    expect(error).toMatchObject({ code: 'bad_input', message: expect.stringContaining(words) })
    expect(error).toMatchObject({ message: expect.stringContaining('"0 8 * * 1-5"') })
  })

  it.each(['Mars/Phobos', '', 'berlin'])('the time zone %j', (zone) => {
    expect(refusal('0 8 * * *', zone)).toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('"Europe/Berlin"'),
    })
  })
})
