const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How long ago something was, in whole words. */
export function ageWords(time: number, now: number): string {
  const age = Math.max(0, now - time)
  if (age < minute) return 'just now'
  if (age < hour) return `${count(age, minute, 'minute')} ago`
  if (age < day) return `${count(age, hour, 'hour')} ago`
  return `${count(age, day, 'day')} ago`
}

function count(age: number, unit: number, noun: string): string {
  const number = Math.floor(age / unit)
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
