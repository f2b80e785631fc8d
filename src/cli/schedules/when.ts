import { UsageError } from '../usage-error.ts'

/** A time as a person types it, in milliseconds since 1970. Times without an offset are those of this machine. */
export function parseWhen(typed: string, now: number): number {
  const text = typed.trim().toLowerCase().replace(/\s+/g, ' ')
  const at = fromNow(text, now) ?? ofDay(text, now) ?? onDate(text) ?? withOffset(typed.trim())
  if (at === null) throw new UsageError(`"${typed}" is no time. ${forms}`)
  if (Number.isNaN(at)) throw new UsageError(`"${typed}" is a time that does not exist. ${forms}`)
  if (at > now + furthest) throw new UsageError(`"${typed}" is more than ten years away.`)
  if (at <= now) throw new UsageError(`"${typed}" is in the past. Name a time that is still to come.`)
  return at
}

const forms = 'Say it like "in 20 minutes", "2h", "14:30", "tomorrow 9:00" or "2026-12-24 18:00".'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const furthest = 3653 * day

const units: readonly (readonly [RegExp, number])[] = [
  [/^(s|secs?|seconds?)$/, second],
  [/^(m|mins?|minutes?)$/, minute],
  [/^(h|hrs?|hours?)$/, hour],
  [/^(d|days?)$/, day],
  [/^(w|weeks?)$/, 7 * day],
]

// "in 20 minutes", "20m", "1h 30m", "in an hour".
function fromNow(text: string, now: number): number | null {
  const spans = text.replace(/^in /, '').replace(/^an? (?=[a-z])/, '1 ')
  if (!/^(\d+(\.\d+)? ?[a-z]+ ?)+$/.test(spans)) return null
  let at = now
  for (const [, count = '', unit = ''] of spans.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)/g)) {
    const length = units.find(([name]) => name.test(unit))?.[1]
    if (length === undefined) return null
    at += Number(count) * length
  }
  return at
}

// "14:30" is the next one; "today" and "tomorrow" say which.
function ofDay(text: string, now: number): number | null {
  const [, named, hours, minutes] =
    /^(?:(today|tomorrow),? (?:at )?)?(?:at )?(\d{1,2}):(\d{2})$/.exec(text) ?? []
  if (hours === undefined) return null
  const date = new Date(now)
  const on = (days: number): number =>
    local([date.getFullYear(), date.getMonth() + 1, date.getDate() + days, Number(hours), Number(minutes)])
  if (named !== undefined) return on(named === 'today' ? 0 : 1)
  return on(0) <= now ? on(1) : on(0)
}

// "2026-12-24 18:00", also with a T between and seconds after it.
function onDate(text: string): number | null {
  const found = /^(\d{4})-(\d{2})-(\d{2})(?: |t)(?:at )?(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text)
  if (!found) return null
  const [year = 0, month = 0, date = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map((digits) => Number(digits ?? 0))
  const at = local([year, month, date, hours, minutes, seconds])
  const made = new Date(at)
  return made.getMonth() + 1 === month && made.getDate() === date ? at : Number.NaN
}

function withOffset(text: string): number | null {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i.test(text)
    ? Date.parse(text)
    : null
}

/** Not a number where this machine's clock never shows that: 25:00, and the hour that the summer time leaves out. */
function local([
  year = 0,
  month = 1,
  date = 1,
  hours = 0,
  minutes = 0,
  seconds = 0,
]: readonly number[]): number {
  const made = new Date(year, month - 1, date, hours, minutes, seconds)
  return made.getHours() === hours && made.getMinutes() === minutes && made.getSeconds() === seconds
    ? made.getTime()
    : Number.NaN
}
