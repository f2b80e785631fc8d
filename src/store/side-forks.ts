import type { ChannelID, MessageID, ScheduleID, SessionID } from '../tree/ids.ts'
import type { ProcessIdentity } from '../tree/owner.ts'
import type { ExitWish, ForkOutcome, SideFork, SideForkQuery } from '../tree/side-fork.ts'
import { storable } from '../tree/text.ts'
import type { Queries } from './engine.ts'

export interface SideForkReader {
  get(sessionID: SessionID): Promise<SideFork | null>
  /** The interactive one that is open in a channel. */
  openIn(channelID: ChannelID): Promise<SideFork | null>
  /** All that are open, oldest first. */
  open(): Promise<readonly SideFork[]>
  /** Newest first. */
  list(query?: SideForkQuery): Promise<readonly SideFork[]>
  /** The newest run of a schedule. */
  lastRun(scheduleID: ScheduleID): Promise<SideFork | null>
}

export interface SideForkTable extends SideForkReader {
  /** Fails where an interactive one is open in that channel. */
  insert(fork: SideFork): Promise<void>
  /** Notes how it shall end. The first wish counts: false for another, and for one that has ended. */
  wish(sessionID: SessionID, wish: ExitWish): Promise<boolean>
  /** Ends it, once: false when it has ended. */
  end(sessionID: SessionID, outcome: ForkOutcome, reason: string | null, now: number): Promise<boolean>
  /** Something was said. What the person does also takes back that the agent was asked. */
  touch(sessionID: SessionID, now: number, by: 'person' | 'agent'): Promise<void>
  /** The agent is being asked because nobody says anything: false when it was asked already, or it has ended. */
  prompt(sessionID: SessionID, now: number): Promise<boolean>
  /** A background run begins, when it has not yet and fewer than `limit` go on: false otherwise. */
  begin(sessionID: SessionID, process: ProcessIdentity, now: number, limit: number): Promise<boolean>
  /**
   * It waits for its place again, with whoever takes it on; null for nobody yet. False when it has ended, changed hands before, or
   * its prompt is stored.
   */
  adopt(sessionID: SessionID, from: ProcessIdentity | null, process: ProcessIdentity | null): Promise<boolean>
  /** A background run's prompt is stored; false when it has ended, or is no longer with this process. */
  sent(sessionID: SessionID, process: ProcessIdentity, promptID: MessageID): Promise<boolean>
  note(sessionID: SessionID, what: 'reported' | 'pinged'): Promise<void>
  removeOf(sessionID: SessionID): Promise<void>
}

const columns = `session_id AS "sessionID", channel_id AS "channelID", kind, origin, topic, prompt, prompt_id AS "promptID", state, outcome, reason, wish,
  wish_text AS "wishText", wish_turn AS "wishTurn", idle_timeout AS "idleTimeout", last_activity AS "lastActivity",
  prompted_at AS "promptedAt", timeout, allowed_tools AS "allowedTools", schedule_id AS "scheduleID", reported, pinged,
  pid, pid_started AS "pidStarted", machine, began, started, ended`

export const sideForkTable = (db: Queries): SideForkTable => ({
  async get(sessionID) {
    const row = await db.get<SideForkRow>(`SELECT ${columns} FROM forks WHERE session_id = :sessionID`, {
      sessionID,
    })
    return row ? toSideFork(row) : null
  },

  async openIn(channelID) {
    const row = await db.get<SideForkRow>(
      `SELECT ${columns} FROM forks WHERE channel_id = :channelID AND kind = 'interactive' AND state = 'open'`,
      { channelID },
    )
    return row ? toSideFork(row) : null
  },

  async open() {
    const rows = await db.all<SideForkRow>(
      `SELECT ${columns} FROM forks WHERE state = 'open' ORDER BY session_id`,
    )
    return rows.map(toSideFork)
  },

  async list({ channelID = null, state = null, limit = null } = {}) {
    const rows = await db.all<SideForkRow>(
      `SELECT ${columns} FROM forks
        WHERE (:channelID IS NULL OR channel_id = :channelID) AND (:state IS NULL OR state = :state)
        ORDER BY session_id DESC LIMIT coalesce(:limit, 9007199254740991)`,
      { channelID, state, limit },
    )
    return rows.map(toSideFork)
  },

  async lastRun(scheduleID) {
    const row = await db.get<SideForkRow>(
      `SELECT ${columns} FROM forks WHERE schedule_id = :scheduleID ORDER BY session_id DESC LIMIT 1`,
      { scheduleID },
    )
    return row ? toSideFork(row) : null
  },

  async insert({ wish, allowedTools, reported, pinged, topic, prompt, promptID: _, process, ...fork }) {
    await db.run(
      `INSERT INTO forks (session_id, channel_id, kind, origin, topic, prompt, state, outcome, reason, wish, wish_text, wish_turn,
                          idle_timeout, last_activity, prompted_at, timeout, allowed_tools, schedule_id, reported,
                          pinged, pid, pid_started, machine, began, started, ended)
       VALUES (:sessionID, :channelID, :kind, :origin, :topic, :prompt, :state, :outcome, :reason, :wish, :wishText, :wishTurn,
               :idleTimeout, :lastActivity, :promptedAt, :timeout, :allowedTools, :scheduleID, :reported, :pinged,
               :pid, :pidStarted, :machine, :began, :started, :ended)`,
      {
        ...fork,
        topic: topic === null ? null : storable(topic),
        prompt: prompt === null ? null : storable(prompt),
        pid: process?.pid ?? null,
        pidStarted: process?.started ?? null,
        machine: process?.machine ?? null,
        wish: wish?.action ?? null,
        wishText: wish?.text ?? null,
        wishTurn: wish?.turnID ?? null,
        allowedTools: allowedTools && JSON.stringify(allowedTools),
        reported: reported ? 1 : 0,
        pinged: pinged ? 1 : 0,
      },
    )
  },

  async wish(sessionID, { action, text, turnID }) {
    const changed = await db.run(
      `UPDATE forks SET wish = :action, wish_text = :text, wish_turn = :turnID
        WHERE session_id = :sessionID AND state = 'open'
          AND (wish IS NULL OR (wish = 'report' AND wish_text IS NULL AND :action = 'report'))`,
      { sessionID, action, text: text === null ? null : storable(text), turnID },
    )
    return changed > 0
  },

  async end(sessionID, outcome, reason, now) {
    const changed = await db.run(
      `UPDATE forks SET state = 'ended', outcome = :outcome, reason = :reason, ended = :now
        WHERE session_id = :sessionID AND state = 'open'`,
      { sessionID, outcome, reason: reason === null ? null : storable(reason), now },
    )
    return changed > 0
  },

  async touch(sessionID, now, by) {
    await db.run(
      `UPDATE forks SET last_activity = :now, prompted_at = CASE WHEN :by = 'person' THEN NULL ELSE prompted_at END
        WHERE session_id = :sessionID AND state = 'open'`,
      { sessionID, now, by },
    )
  },

  async prompt(sessionID, now) {
    const changed = await db.run(
      `UPDATE forks SET prompted_at = :now
        WHERE session_id = :sessionID AND state = 'open' AND prompted_at IS NULL`,
      { sessionID, now },
    )
    return changed > 0
  },

  async begin(sessionID, { pid, started, machine }, now, limit) {
    const changed = await db.run(
      `UPDATE forks SET began = :now
        WHERE session_id = :sessionID AND state = 'open' AND began IS NULL
          AND pid = :pid AND pid_started = :started AND machine = :machine
          AND (SELECT count(*) FROM forks f WHERE f.state = 'open' AND f.kind = 'background' AND f.began IS NOT NULL) < :limit`,
      { sessionID, pid, started, machine, now, limit },
    )
    return changed > 0
  },

  async adopt(sessionID, from, process) {
    const { pid, started, machine } = process ?? { pid: null, started: null, machine: null }
    const changed = await db.run(
      `UPDATE forks SET pid = :pid, pid_started = :started, machine = :machine, began = NULL
        WHERE session_id = :sessionID AND state = 'open' AND prompt_id IS NULL
          AND coalesce(pid, -1) = :fromPid AND coalesce(pid_started, '') = :fromStarted
          AND coalesce(machine, '') = :fromMachine`,
      {
        sessionID,
        pid,
        started,
        machine,
        fromPid: from?.pid ?? -1,
        fromStarted: from?.started ?? '',
        fromMachine: from?.machine ?? '',
      },
    )
    return changed > 0
  },

  async sent(sessionID, { pid, started, machine }, promptID) {
    const changed = await db.run(
      `UPDATE forks SET prompt_id = :promptID
        WHERE session_id = :sessionID AND state = 'open'
          AND pid = :pid AND pid_started = :started AND machine = :machine`,
      { sessionID, pid, started, machine, promptID },
    )
    return changed > 0
  },

  async note(sessionID, what) {
    const column = { reported: 'reported', pinged: 'pinged' }[what]
    await db.run(`UPDATE forks SET ${column} = 1 WHERE session_id = :sessionID`, { sessionID })
  },

  async removeOf(sessionID) {
    await db.run('DELETE FROM forks WHERE session_id = :sessionID', { sessionID })
  },
})

type SideForkRow = Omit<SideFork, 'wish' | 'allowedTools' | 'reported' | 'pinged' | 'process'> & {
  readonly pid: number | null
  readonly pidStarted: string | null
  readonly machine: string | null
  readonly wish: ExitWish['action'] | null
  readonly wishText: string | null
  readonly wishTurn: ExitWish['turnID']
  readonly allowedTools: string | null
  readonly reported: number
  readonly pinged: number
}

function toSideFork({
  wish,
  wishText,
  wishTurn,
  allowedTools,
  reported,
  pinged,
  pid,
  pidStarted,
  machine,
  ...row
}: SideForkRow): SideFork {
  return {
    ...row,
    wish: wish && { action: wish, text: wishText, turnID: wishTurn },
    allowedTools: allowedTools === null ? null : JSON.parse(allowedTools),
    reported: reported === 1,
    pinged: pinged === 1,
    process: pid === null ? null : { pid, started: pidStarted ?? '', machine: machine ?? '' },
  }
}
