import { shortID } from '../tree/ids.ts'
import type { Schedule } from '../tree/schedule.ts'
import { onOneLine } from '../tree/text.ts'

// What people and agents are told of schedules.

/** A time as people read it, with the zone that it is in. */
export const timeInZone = (time: number, zone: string): string =>
  `${new Intl.DateTimeFormat('en-GB', {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', timeZone: zone },
  }).format(time)} (${zone})`

/** When a schedule is due next, in its own zone; a reminder's is the reader's. */
function dueInZone(schedule: Schedule, zone: string): string {
  if (schedule.state === 'cancelled') return 'cancelled'
  if (schedule.due === null) return 'over'
  return timeInZone(schedule.due, schedule.kind === 'routine' ? schedule.zone : zone)
}

/** A schedule on one line. */
export function scheduleLine(schedule: Schedule, zone: string): string {
  const cron = schedule.kind === 'routine' ? ` "${schedule.cron}"` : ''
  const where = schedule.mode === 'main' ? ', in the main conversation' : ''
  return `${shortID(schedule.id)}  ${schedule.kind}${cron}, next ${dueInZone(schedule, zone)}${where}: ${onOneLine(schedule.prompt, 80)}`
}
