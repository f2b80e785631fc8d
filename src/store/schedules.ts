import { type ChannelID, endOfID, type ScheduleID } from '../tree/ids.ts'
import type { Schedule, ScheduleRun } from '../tree/schedule.ts'
import { storable } from '../tree/text.ts'
import type { Queries } from './engine.ts'

export interface ScheduleReader {
  get(id: ScheduleID): Promise<Schedule | null>
  /** Of one channel, or all; oldest first. Those that are over are left out. */
  list(channelID?: ChannelID): Promise<readonly Schedule[]>
  /** Active ones that are due by then, the longest due first. */
  due(by: number): Promise<readonly Schedule[]>
  /** When the next one is due; null when none is. */
  nextDue(): Promise<number | null>
  /** Whose id begins or ends so, those that are over too; only the first few. */
  matching(bareID: string): Promise<readonly Schedule[]>
  /** What became of its times, the newest first. */
  runs(id: ScheduleID, limit: number): Promise<readonly ScheduleRun[]>
}

export interface ScheduleTable extends ScheduleReader {
  insert(schedule: Schedule): Promise<void>
  /** What it says and when it is due: false when it is over by now. */
  change(id: ScheduleID, change: ChangedSchedule): Promise<boolean>
  /** Moves it from one state to another: false when it is in another by now. */
  move(id: ScheduleID, from: Schedule['state'], to: Schedule['state'], due: number | null): Promise<boolean>
  /**
   * Notes what became of one of its times, and when it is due next. False, and nothing is noted, when it is not as it was read:
   * somebody else ran it, or it is over.
   */
  ran(was: Schedule, run: Omit<ScheduleRun, 'scheduleID'>, next: NextDue): Promise<boolean>
  /** Takes out what became of times before then, but for the newest of each schedule. */
  forget(before: number): Promise<void>
}

export interface ChangedSchedule extends Pick<Schedule, 'prompt' | 'due'> {
  /** Of a routine; null for a reminder. */
  readonly cron: string | null
  readonly zone: string | null
}

export type NextDue = Pick<Schedule, 'state' | 'due'>

const columns = `id, channel_id AS "channelID", kind, cron, zone, prompt, agent, model, allowed_tools AS "allowedTools", sandbox,
  files, mode, state, due, last_session_id AS "lastSessionID", created`

export const scheduleTable = (db: Queries): ScheduleTable => ({
  async get(id) {
    const row = await db.get<ScheduleRow>(`SELECT ${columns} FROM schedules WHERE id = :id`, { id })
    return row ? toSchedule(row) : null
  },

  async list(channelID) {
    const where = channelID === undefined ? '' : 'AND channel_id = :channelID'
    const rows = await db.all<ScheduleRow>(
      `SELECT ${columns} FROM schedules WHERE state = 'active' ${where} ORDER BY id`,
      channelID === undefined ? {} : { channelID },
    )
    return rows.map(toSchedule)
  },

  async due(by) {
    const rows = await db.all<ScheduleRow>(
      `SELECT ${columns} FROM schedules WHERE state = 'active' AND due <= :by ORDER BY due, id`,
      { by },
    )
    return rows.map(toSchedule)
  },

  async nextDue() {
    const row = await db.get<{ due: number | null }>(
      `SELECT min(due) AS due FROM schedules WHERE state = 'active'`,
    )
    return row?.due ?? null
  },

  async matching(bareID) {
    const rows = await db.all<ScheduleRow>(
      `SELECT ${columns} FROM schedules
        WHERE id LIKE 'sch^_' || :bareID || '%' ESCAPE '^' OR id LIKE '%' || :end ORDER BY id LIMIT 6`,
      { bareID, end: endOfID(bareID) },
    )
    return rows.map(toSchedule)
  },

  async runs(id, limit) {
    return db.all<ScheduleRun>(
      `SELECT schedule_id AS "scheduleID", due, how, reason, session_id AS "sessionID", at FROM schedule_runs
        WHERE schedule_id = :id ORDER BY due DESC LIMIT :limit`,
      { id, limit },
    )
  },

  async insert(schedule) {
    const { allowedTools, prompt, ...rest } = schedule
    await db.run(
      `INSERT INTO schedules (id, channel_id, kind, cron, zone, prompt, agent, model, allowed_tools, sandbox, files, mode, state,
                              due, last_session_id, created)
       VALUES (:id, :channelID, :kind, :cron, :zone, :prompt, :agent, :model, :allowedTools, :sandbox, :files, :mode, :state, :due,
               :lastSessionID, :created)`,
      {
        cron: null,
        zone: null,
        ...rest,
        prompt: storable(prompt),
        allowedTools: allowedTools && JSON.stringify(allowedTools),
      },
    )
  },

  async change(id, { prompt, cron, zone, due }) {
    const changed = await db.run(
      `UPDATE schedules SET prompt = :prompt, cron = :cron, zone = :zone, due = :due
        WHERE id = :id AND state = 'active'`,
      { id, prompt: storable(prompt), cron, zone, due },
    )
    return changed > 0
  },

  async move(id, from, to, due) {
    const changed = await db.run(
      'UPDATE schedules SET state = :to, due = :due WHERE id = :id AND state = :from',
      { id, from, to, due },
    )
    return changed > 0
  },

  async ran({ id, due: wasDue, lastSessionID }, { due, how, reason, sessionID, at }, next) {
    const changed = await db.run(
      `UPDATE schedules
          SET state = :state, due = :nextDue, last_session_id = coalesce(:sessionID, last_session_id)
        WHERE id = :id AND state = 'active' AND due IS NOT DISTINCT FROM :wasDue
          AND last_session_id IS NOT DISTINCT FROM :lastSessionID`,
      { id, wasDue, lastSessionID, sessionID, state: next.state, nextDue: next.due },
    )
    if (changed === 0) return false
    await db.run(
      `INSERT INTO schedule_runs (schedule_id, due, how, reason, session_id, at)
       VALUES (:id, :due, :how, :reason, :sessionID, :at) ON CONFLICT (schedule_id, due) DO NOTHING`,
      { id, due, how, reason: reason === null ? null : storable(reason), sessionID, at },
    )
    return true
  },

  async forget(before) {
    await db.run(
      `DELETE FROM schedule_runs WHERE at < :before
          AND due < (SELECT max(newest.due) FROM schedule_runs newest WHERE newest.schedule_id = schedule_runs.schedule_id)`,
      { before },
    )
  },
})

type ScheduleRow = Omit<Schedule, 'allowedTools' | 'kind'> & {
  readonly kind: Schedule['kind']
  readonly cron: string | null
  readonly zone: string | null
  readonly allowedTools: string | null
}

function toSchedule({ kind, cron, zone, allowedTools, ...row }: ScheduleRow): Schedule {
  const base = { ...row, allowedTools: allowedTools === null ? null : JSON.parse(allowedTools) }
  return kind === 'routine'
    ? { ...base, kind, cron: cron ?? '', zone: zone ?? 'UTC' }
    : { ...base, kind: 'reminder' }
}
