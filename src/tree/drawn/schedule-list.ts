import { ageOf } from '../age.ts'
import { shortID } from '../ids.ts'
import { plainLine } from '../plain-text.ts'
import type { Schedule, ScheduleRun } from '../schedule.ts'
import type { Session } from '../session.ts'
import type { Paint } from './paint.ts'
import { timeWords } from './time-words.ts'

export interface ScheduleView {
  readonly now: number
  readonly paint: Paint
  /** The conversation that it belongs to; absent where that is clear. */
  readonly main?: Pick<Session, 'id' | 'title'>
}

/** A schedule in two or three lines: which and when, what, and what became of its last times. */
export function drawSchedule(
  schedule: Schedule,
  runs: readonly ScheduleRun[],
  { now, paint, main }: ScheduleView,
): readonly string[] {
  const facts = [
    schedule.kind === 'routine' ? `${schedule.cron} ${schedule.zone}` : 'once',
    dueWords(schedule, now),
    ...(schedule.mode === 'main' ? ['to main'] : []),
    ...(main ? [`in “${main.title}” ${shortID(main.id)}`] : []),
  ]
  return [
    `${paint('cyan', shortID(schedule.id))}  ${facts.map(plainLine).join(' · ')}`,
    `        ${plainLine(schedule.prompt)}`,
    ...(runs.length === 0
      ? []
      : [paint('dim', `        last: ${runs.map((run) => runWords(run, now)).join(', ')}`)]),
  ]
}

/** When it is due next. A routine's time is that of its own clock. */
export function dueWords(schedule: Schedule, now: number): string {
  if (schedule.due === null) return 'never again'
  return `next: ${timeWords(schedule.due, now, schedule.kind === 'routine' ? schedule.zone : undefined)}`
}

function runWords({ how, at, sessionID }: ScheduleRun, now: number): string {
  const which = sessionID === null ? '' : ` (${shortID(sessionID)})`
  return `${how} ${ageOf(at, now)}${which}`
}
