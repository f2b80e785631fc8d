import { livingSession } from '../store/find.ts'
import type { NextDue } from '../store/schedules.ts'
import type { Reader, Transaction } from '../store/store.ts'
import { BoughError, type ErrorCode, messageOf } from '../tree/error.ts'
import { type ChannelID, type ScheduleID, type SessionID, shortID } from '../tree/ids.ts'
import type { Incoming } from '../tree/inbox.ts'
import type { Routine, Schedule, ScheduleRun } from '../tree/schedule.ts'
import type { SideFork } from '../tree/side-fork.ts'
import { nextDue } from './cron.ts'
import { mustBeActive, type ScheduleParts } from './schedules.ts'

// What becomes of a time that a schedule is due, once, whoever sees it first:
//
//   due ──▶ ran | late     a background fork begins, or its prompt waits for main
//    ├────▶ skipped        a routine whose last run is still going
//    └────▶ failed         it cannot begin; the person is told
//
// In the same transaction a routine gets its next time, after now, so that times that were missed run once; a reminder is done.

export interface DueParts extends ScheduleParts {
  /** Makes the background fork, in one transaction, in which it calls `within`; what that throws undoes it and is thrown on. */
  startRun(run: ScheduledRun): Promise<SideFork>
  queueForMain(
    tx: Transaction,
    channelID: ChannelID,
    what: Extract<Incoming, { kind: 'schedule' }>,
  ): Promise<void>
  /** Tells the person that a schedule could not begin. */
  tellFailure(tx: Transaction, schedule: Schedule, reason: string): Promise<void>
}

/** A run that is to begin. */
export interface ScheduledRun {
  readonly schedule: Schedule
  /** To be called in the transaction that makes the run's fork. */
  within(tx: Transaction, sessionID: SessionID): Promise<void>
}

/** Thrown within a run's transaction when somebody else was first, or the schedule has been cancelled. */
class AlreadyFired extends Error {
  override readonly name = 'AlreadyFired'
}

/** Milliseconds after which a run counts as late. */
const tolerance = 2 * 60_000

/** Runs what is due. One that fails keeps no other from running. */
export async function fireDue(parts: DueParts): Promise<void> {
  const now = parts.clock()
  await correctDue(parts, now)
  const errors: unknown[] = []
  for (const schedule of await parts.store.schedules.due(now)) {
    try {
      await fire(parts, schedule, now)
    } catch (error) {
      if (!(error instanceof AlreadyFired)) errors.push(error)
    }
  }
  if (errors.length > 1) throw new AggregateError(errors, 'Several schedules could not be run.')
  if (errors.length > 0) throw errors[0]
}

// While the clock was ahead, a routine got a next time that is too far away now. It gets the first one from now on at which
// it has not run: a clock that goes back by seconds makes nothing run twice.
async function correctDue({ store }: DueParts, now: number): Promise<void> {
  for (const routine of await store.schedules.list()) {
    if (routine.kind !== 'routine' || routine.due === null) continue
    const { id, prompt, cron, zone, due: was } = routine
    if (firstAfter(routine, now) >= was) continue
    await store.transaction(async (tx) => {
      const ran = new Set((await tx.schedules.runs(id, mostRuns)).map(({ due }) => due))
      let due = firstAfter(routine, now)
      while (ran.has(due)) due = firstAfter(routine, due)
      const isSame = (await tx.schedules.get(id))?.due === was
      if (isSame && due < was) await tx.schedules.change(id, { prompt, cron, zone, due })
    })
  }
}

/** More times than a routine has while its runs are remembered, but for one that runs every minute. */
const mostRuns = 1_000

function firstAfter({ cron, zone }: Routine, time: number): number {
  try {
    return nextDue(cron, zone, time) ?? Number.POSITIVE_INFINITY
  } catch {
    // This machine knows no such zone: said when it is due.
    return Number.POSITIVE_INFINITY
  }
}

/** Runs a schedule beside its times; resolves with its run, or null where its prompt goes to main. */
export async function runNow(parts: DueParts, id: ScheduleID): Promise<SideFork | null> {
  const schedule = mustBeActive(id, await parts.store.schedules.get(id))
  if (await isGoing(parts.store, schedule)) throw stillGoing(schedule)
  const now = parts.clock()
  try {
    return await begin(parts, schedule, { due: now, how: 'ran', at: now }, schedule)
  } catch (error) {
    if (!(error instanceof AlreadyFired)) throw error
    throw stillGoing(mustBeActive(id, await parts.store.schedules.get(id)), error)
  }
}

async function fire(parts: DueParts, schedule: Schedule, now: number): Promise<void> {
  const due = schedule.due ?? now
  const how = now - due > tolerance ? 'late' : 'ran'
  try {
    const next = nextOf(schedule, now)
    if (await skip(parts, schedule, { due, how: 'skipped', at: now }, next)) return
    await begin(parts, schedule, { due, how, at: now }, next)
  } catch (error) {
    if (error instanceof AlreadyFired || isPassing(error)) throw error
    await fail(parts, schedule, { due, how: 'failed', at: now }, error)
  }
}

type Noted = Pick<ScheduleRun, 'due' | 'how' | 'at'>

// A reminder is never skipped: it does not come again.
async function skip(parts: DueParts, schedule: Schedule, noted: Noted, next: NextDue): Promise<boolean> {
  if (schedule.kind === 'reminder') return false
  return parts.store.transaction(async (tx) => {
    if (!(await isGoing(tx, schedule))) return false
    await note(tx, schedule, { ...noted, sessionID: null, reason: null }, next)
    return true
  })
}

async function begin(
  parts: DueParts,
  schedule: Schedule,
  noted: Noted,
  next: NextDue,
): Promise<SideFork | null> {
  const { id, channelID, prompt, mode } = schedule
  const noteRun = (tx: Transaction, sessionID: SessionID | null) =>
    note(tx, schedule, { ...noted, sessionID, reason: null }, next)
  await mustHaveMain(parts.store, channelID)
  if (mode === 'background') return parts.startRun({ schedule, within: noteRun })
  await parts.store.transaction(async (tx) => {
    await noteRun(tx, null)
    await parts.queueForMain(tx, channelID, {
      kind: 'schedule',
      scheduleID: id,
      prompt,
      due: noted.how === 'late' ? noted.due : null,
    })
  })
  return null
}

// It counts as run, so that it does not fail again with every look at the clock.
async function fail(parts: DueParts, schedule: Schedule, noted: Noted, error: unknown): Promise<void> {
  const reason = messageOf(error)
  const next = nextOrOver(schedule, noted.at)
  await parts.store.transaction(async (tx) => {
    // Otherwise somebody else ran it, or it had begun when this happened.
    if (!(await tx.schedules.ran(schedule, { ...noted, sessionID: null, reason }, next))) throw error
    await parts.tellFailure(tx, schedule, reason)
  })
}

async function note(
  tx: Transaction,
  schedule: Schedule,
  run: Omit<ScheduleRun, 'scheduleID'>,
  next: NextDue,
): Promise<void> {
  if (!(await tx.schedules.ran(schedule, run, next))) throw new AlreadyFired()
}

const over: NextDue = { state: 'done', due: null }

function nextOf(schedule: Schedule, now: number): NextDue {
  if (schedule.kind === 'reminder') return over
  const due = nextDue(schedule.cron, schedule.zone, now)
  return due === null ? over : { state: 'active', due }
}

// A line or zone that this machine does not know is why it failed: it cannot be due again.
function nextOrOver(schedule: Schedule, now: number): NextDue {
  try {
    return nextOf(schedule, now)
  } catch {
    return over
  }
}

async function isGoing(
  reader: Pick<Reader, 'sideForks' | 'inbox'>,
  { id, channelID }: Schedule,
): Promise<boolean> {
  if ((await reader.sideForks.lastRun(id))?.state === 'open') return true
  const waiting = await reader.inbox.open(channelID)
  return waiting.some(({ what }) => what.kind === 'schedule' && what.scheduleID === id)
}

async function mustHaveMain(reader: Pick<Reader, 'channels' | 'sessions'>, id: ChannelID): Promise<void> {
  const channel = await reader.channels.get(id)
  if (!channel) throw new BoughError('not_found', `There is no channel ${id} any more.`)
  await livingSession(reader, channel.mainID)
}

// These say nothing of the schedule. It stays due, and is tried again, here or by another process.
const passing: readonly ErrorCode[] = [
  'closed',
  'store_busy',
  'store_unwritable',
  'disk_full',
  'ownership_lost',
]
const isPassing = (error: unknown): boolean => error instanceof BoughError && passing.includes(error.code)

const stillGoing = ({ id, kind }: Schedule, cause?: unknown): BoughError =>
  new BoughError(
    'session_busy',
    `The last run of the ${kind} ${shortID(id)} is still going. Wait until it is over, or end it first.`,
    { cause },
  )
