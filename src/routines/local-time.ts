import { Cron } from 'croner'
import { BoughError } from '../tree/error.ts'

/** A time as programs write it, in milliseconds since 1970: 2026-12-24T18:00 by the clock of a zone, or with an offset. */
export function parseLocalTime(text: string, zone: string): number {
  const [, date = '', time = '', offset] = form.exec(text.trim()) ?? []
  if (!isDate(date)) throw noTime(text)
  const at =
    offset === undefined
      ? inZone(`${date}T${time}`, zone)
      : Date.parse(`${date}T${time}${offset.toUpperCase()}`)
  if (Number.isNaN(at)) throw noTime(text)
  return at
}

const form = /^(\d{4}-\d{2}-\d{2})[t ]([0-2]\d:[0-5]\d(?::[0-5]\d)?)(z|[+-]\d{2}:?\d{2})?$/i

// There is no 30 February, which dates in JavaScript take for 2 March.
function isDate(date: string): boolean {
  const time = Date.parse(`${date}T00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date)
}

// In the hour that summer time leaves out it is an hour later; in the one that comes twice it is the first.
function inZone(time: string, zone: string): number {
  try {
    return new Cron(time, { timezone: zone }).getOnce()?.getTime() ?? Number.NaN
  } catch {
    return Number.NaN
  }
}

const noTime = (text: string): BoughError =>
  new BoughError(
    'bad_input',
    `"${text}" is no time. Write it like 2026-12-24T18:00, or with an offset: 2026-12-24T18:00+01:00.`,
  )
