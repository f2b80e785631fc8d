import { channelAt } from '../forks/side/channel-of.ts'
import type { Store } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { ChannelID, Clock, Ids, ScheduleID, SessionID } from '../tree/ids.ts'
import type {
  Reminder,
  ReminderDraft,
  Routine,
  RoutineDraft,
  Schedule,
  ScheduleChange,
} from '../tree/schedule.ts'
import { checkCron, nextDue } from './cron.ts'
import { timeInZone } from './words.ts'

export interface ScheduleParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
  /** The time zone of this machine. */
  readonly zone: string
  /** Throws where nobody could talk to that agent. */
  mustBeInstalled(agent: string): Promise<void>
}

/** A channel, or a session that belongs to one. */
type Where = ChannelID | SessionID

export async function addRoutine(parts: ScheduleParts, where: Where, draft: RoutineDraft): Promise<Routine> {
  const { cron, zone = parts.zone } = draft
  checkCron(cron, zone)
  return add(parts, where, draft, (base) => ({
    ...base,
    kind: 'routine',
    cron: cron.trim(),
    zone,
    due: nextDue(cron, zone, base.created),
  }))
}

export async function addReminder(
  parts: ScheduleParts,
  where: Where,
  draft: ReminderDraft,
): Promise<Reminder> {
  const due = checkTime(draft.at, parts.clock(), parts.zone)
  return add(parts, where, draft, (base) => ({ ...base, kind: 'reminder', due }))
}

/** The time of a reminder in whole milliseconds; throws when it is none or has passed. */
export function checkTime(at: number, now: number, zone: string): number {
  if (Number.isNaN(new Date(at).getTime()))
    throw new BoughError(
      'bad_input',
      `${at} is no time. Give milliseconds since 1970, like ${now + 3_600_000}.`,
    )
  if (at <= now)
    throw new BoughError(
      'bad_input',
      `${timeInZone(at, zone)} has passed: it is ${timeInZone(now, zone)} now. Give a time to come.`,
    )
  return Math.ceil(at)
}

/** When its time is changed, it is next due at its first time after now. */
export async function changeSchedule(
  { store, clock, zone }: ScheduleParts,
  id: ScheduleID,
  change: ScheduleChange,
): Promise<Schedule> {
  if (change.prompt !== undefined) mustSaySomething(change.prompt)
  return store.transaction(async (tx) => {
    const schedule = mustBeActive(id, await tx.schedules.get(id))
    const now = clock()
    const changed =
      schedule.kind === 'routine'
        ? changedRoutine(schedule, change, now)
        : changedReminder(schedule, change, now, zone)
    await tx.schedules.change(id, { cron: null, zone: null, ...changed })
    return changed
  })
}

function changedRoutine(was: Routine, { at, ...change }: ScheduleChange, now: number): Routine {
  if (at !== undefined)
    throw new BoughError(
      'bad_input',
      `${was.id} is a routine, which has no single time. Change when it runs by its cron line or its time zone.`,
    )
  const { prompt = was.prompt, cron = was.cron, zone = was.zone } = change
  if ((change.cron ?? change.zone) === undefined) return { ...was, prompt }
  checkCron(cron, zone)
  return { ...was, prompt, cron: cron.trim(), zone, due: nextDue(cron, zone, now) }
}

function changedReminder(was: Reminder, change: ScheduleChange, now: number, zone: string): Reminder {
  if ((change.cron ?? change.zone) !== undefined)
    throw new BoughError(
      'bad_input',
      `${was.id} is a reminder, which has no cron line and no time zone. Change when it runs by its time.`,
    )
  const { prompt = was.prompt, at } = change
  return { ...was, prompt, due: at === undefined ? was.due : checkTime(at, now, zone) }
}

export async function cancelSchedule({ store }: ScheduleParts, id: ScheduleID): Promise<Schedule> {
  return store.transaction(async (tx) => {
    const schedule = mustBeActive(id, await tx.schedules.get(id))
    await tx.schedules.move(id, 'active', 'cancelled', null)
    return { ...schedule, state: 'cancelled', due: null }
  })
}

/** Throws when there is no such schedule, or it is over. */
export function mustBeActive(id: ScheduleID, schedule: Schedule | null): Schedule {
  if (!schedule)
    throw new BoughError('not_found', `There is no schedule ${id}. "bough routine ls" lists those there are.`)
  if (schedule.state === 'active') return schedule
  const why = schedule.state === 'cancelled' ? 'has been cancelled' : 'has run, and is over'
  throw new BoughError('bad_input', `The ${schedule.kind} ${id} ${why}. "bough routine ls" lists the others.`)
}

function mustSaySomething(prompt: string): void {
  if (prompt.trim() === '')
    throw new BoughError('bad_input', 'The prompt is empty. Say what the agent is to do when it is time.')
}

type Base = Omit<Reminder, 'kind'>

async function add<T extends Schedule>(
  parts: ScheduleParts,
  where: Where,
  draft: Omit<ReminderDraft, 'at'>,
  complete: (base: Base) => T,
): Promise<T> {
  mustSaySomething(draft.prompt)
  if (
    draft.mode === 'main' &&
    (draft.agent ?? draft.model ?? draft.allowedTools ?? draft.sandbox ?? draft.files) !== undefined
  )
    throw new BoughError(
      'bad_input',
      'What goes to the main conversation has its agent, model, tools, sandbox and files. Leave them out, or let it run in the background.',
    )
  if (draft.agent !== undefined) await parts.mustBeInstalled(draft.agent)
  return parts.store.transaction(async (tx) => {
    const schedule = complete({
      id: parts.ids.schedule(),
      channelID: (await channelAt(parts, tx, where)).id,
      prompt: draft.prompt,
      agent: draft.agent ?? null,
      model: draft.model ?? null,
      allowedTools: draft.allowedTools ?? null,
      sandbox: draft.sandbox ?? null,
      files: draft.files ?? null,
      mode: draft.mode ?? 'background',
      state: 'active',
      due: null,
      lastSessionID: null,
      created: parts.clock(),
    })
    await tx.schedules.insert(schedule)
    return schedule
  })
}
