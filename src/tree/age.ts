const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How long ago something was, as a person would say it. */
export function ageOf(time: number, now: number): string {
  const age = Math.max(0, now - time)
  if (age < minute) return 'now'
  if (age < hour) return `${Math.floor(age / minute)} min ago`
  if (age < day) return `${Math.floor(age / hour)} h ago`
  const days = Math.floor(age / day)
  if (days === 1) return 'yesterday'
  return days <= 30 ? `${days} days ago` : new Date(time).toISOString().slice(0, 10)
}
