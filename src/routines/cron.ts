import { Cron } from 'croner'
import { BoughError, messageOf } from '../tree/error.ts'

// Cron lines: five fields, or a name like @daily. When the clocks change, a line that names its times (30 2 * * *) still comes once
// a day, at the first time after a gap; one that names an interval (*/30 * * * *) keeps to it.

/** When a routine is due next, strictly after a time; null when it never is again. */
export function nextDue(cron: string, zone: string, after: number): number | null {
  const nexts = timesOf(cron).flatMap((line) => cronOf(line, zone).nextRun(new Date(after))?.getTime() ?? [])
  return nexts.length === 0 ? null : Math.min(...nexts)
}

/** Throws when a line is wrong, never comes or comes too often, and when nobody knows the zone. */
export function checkCron(cron: string, zone: string): void {
  checkZone(zone)
  const fields = fieldsOf(cron)
  if (fields.length === 6 || fields.length === 7)
    throw wrongCron(cron, 'a routine runs at most once a minute, so there is no field for seconds')
  if (cron.trim().startsWith('@')) {
    if (!names.includes(cron.trim())) throw wrongCron(cron, `of names there are only ${names.join(', ')}`)
  } else if (fields.length !== 5)
    throw wrongCron(cron, `it has ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`)
  try {
    cronOf(cron, zone)
  } catch (cause) {
    throw wrongCron(cron, wordsOf(cause), cause)
  }
  // Without a year it comes in all times or in none.
  if (nextDue(cron, zone, 0) === null) throw wrongCron(cron, 'that day never comes')
}

const names = ['@hourly', '@daily', '@weekly', '@monthly', '@yearly']

function checkZone(zone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch (cause) {
    throw new BoughError(
      'bad_input',
      `There is no time zone "${zone}". Give one by its name, like "Europe/Berlin" or "UTC".`,
      { cause },
    )
  }
}

const cronOf = (cron: string, zone: string): Cron => new Cron(cron, { mode: '5-part', timezone: zone })

const fieldsOf = (cron: string): readonly string[] => cron.split(/\s+/).filter((field) => field !== '')

// The library takes a line with several times a day for an interval. So that each comes once a day, each is a line of its own.
function timesOf(cron: string): readonly string[] {
  const [minute = '', hour = '', ...day] = fieldsOf(cron)
  if (![minute, hour].every((field) => /^[\d,-]+$/.test(field))) return [cron]
  if (numbersOf(hour).length * numbersOf(minute).length > mostTimes) return [cron]
  return numbersOf(hour).flatMap((h) => numbersOf(minute).map((m) => [m, h, ...day].join(' ')))
}

/** More times a day than a person names one by one: that is an interval. */
const mostTimes = 24

// `8,12-14` is 8, 12, 13 and 14.
function numbersOf(field: string): readonly number[] {
  return field.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}

const wordsOf = (cause: unknown): string =>
  messageOf(cause)
    .replace(/^CronPattern: /, '')
    .replace(/\.$/, '')

const wrongCron = (cron: string, why: string, cause?: unknown): BoughError =>
  new BoughError(
    'bad_input',
    `"${cron}" is no cron line for a routine: ${why}. A line has five fields: minute, hour, day of month, month, weekday; "0 8 * * 1-5" is every weekday at 8:00.`,
    { cause },
  )
