const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** When something will be, as a person would say it; by the clock of a time zone, else of this machine. */
export function timeWords(at: number, now: number, zone?: string): string {
  const clock = format(at, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }, zone)
  if (at <= now) return 'now'
  if (at - now < minute) return `in ${Math.ceil((at - now) / second)} s (${clock})`
  if (at - now < hour) return `in ${Math.round((at - now) / minute)} min (${clock})`
  return `${dayWords(at, now, zone)} ${clock}`
}

function dayWords(at: number, now: number, zone?: string): string {
  const days = dayNumber(at, zone) - dayNumber(now, zone)
  if (days === 0) return 'today'
  if (days === 1) return 'tomorrow'
  if (days < 7) return format(at, { weekday: 'long' }, zone)
  return format(at, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }, zone).replace(
    ',',
    '',
  )
}

// Days since 1970, as the calendar of that zone counts them.
function dayNumber(time: number, zone?: string): number {
  const day = format(time, { year: 'numeric', month: '2-digit', day: '2-digit' }, zone)
  const [date = 1, month = 1, year = 1970] = day.split('/').map(Number)
  return Date.UTC(year, month - 1, date) / (24 * hour)
}

const format = (time: number, parts: Intl.DateTimeFormatOptions, zone: string | undefined): string =>
  new Intl.DateTimeFormat('en-GB', { ...parts, ...(zone !== undefined && { timeZone: zone }) }).format(time)
