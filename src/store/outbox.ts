import type { ChannelID, OutboxID, SessionID } from '../tree/ids.ts'
import type { OutboxItem } from '../tree/outgoing.ts'
import type { ProcessIdentity } from '../tree/owner.ts'
import { storableJson } from '../tree/text.ts'
import type { Queries } from './engine.ts'

export interface OutboxReader {
  /** What is being shown or waits for that, oldest first. */
  open(channelID: ChannelID): Promise<readonly OutboxItem[]>
  /** The newest so many of a channel, shown or not, oldest first. */
  newest(channelID: ChannelID, limit: number): Promise<readonly OutboxItem[]>
  /** What a session has sent, oldest first. */
  of(sessionID: SessionID): Promise<readonly OutboxItem[]>
}

export interface OutboxTable extends OutboxReader {
  insert(item: OutboxItem): Promise<void>
  /** Takes one that waits, or one that `from` was showing: false when somebody else has it. */
  take(id: OutboxID, process: ProcessIdentity, from: ProcessIdentity | null): Promise<boolean>
  removeOf(channelID: ChannelID): Promise<void>
  /** It could not be shown, and waits again; not when another process shows it by now. */
  putBack(id: OutboxID, process: ProcessIdentity): Promise<void>
  sent(id: OutboxID, externalID: string | null): Promise<void>
  /** Takes out what was sent, or should have been, by then; but no banner of a fork that is open. */
  forget(before: number): Promise<void>
}

const columns = `id, channel_id AS "channelID", session_id AS "sessionID", what, state, pid, started, machine,
  external_id AS "externalID", created`

export const outboxTable = (db: Queries): OutboxTable => ({
  async open(channelID) {
    const rows = await db.all<OutboxRow>(
      `SELECT ${columns} FROM outbox WHERE channel_id = :channelID AND state <> 'sent' ORDER BY id`,
      { channelID },
    )
    return rows.map(toItem)
  },

  async newest(channelID, limit) {
    const rows = await db.all<OutboxRow>(
      `SELECT ${columns} FROM outbox WHERE channel_id = :channelID ORDER BY id DESC LIMIT :limit`,
      { channelID, limit },
    )
    return rows.map(toItem).toReversed()
  },

  async of(sessionID) {
    const rows = await db.all<OutboxRow>(
      `SELECT ${columns} FROM outbox WHERE session_id = :sessionID ORDER BY id`,
      { sessionID },
    )
    return rows.map(toItem)
  },

  async insert({ id, channelID, sessionID, what, state, externalID, created }) {
    await db.run(
      `INSERT INTO outbox (id, channel_id, session_id, what, state, external_id, created)
       VALUES (:id, :channelID, :sessionID, :what, :state, :externalID, :created)`,
      { id, channelID, sessionID, what: storableJson(what), state, externalID, created },
    )
  },

  async take(id, process, from) {
    const changed = await db.run(
      `UPDATE outbox SET state = 'sending', pid = :pid, started = :started, machine = :machine
        WHERE id = :id AND (state = 'waiting'
            OR (state = 'sending' AND pid = :fromPid AND started = :fromStarted AND machine = :fromMachine))`,
      {
        id,
        ...process,
        fromPid: from?.pid ?? null,
        fromStarted: from?.started ?? null,
        fromMachine: from?.machine ?? null,
      },
    )
    return changed > 0
  },

  async removeOf(channelID) {
    await db.run('DELETE FROM outbox WHERE channel_id = :channelID', { channelID })
  },

  async putBack(id, process) {
    await db.run(
      `UPDATE outbox SET state = 'waiting', pid = NULL, started = NULL, machine = NULL
        WHERE id = :id AND state = 'sending' AND pid = :pid AND started = :started AND machine = :machine`,
      { id, ...process },
    )
  },

  async sent(id, externalID) {
    await db.run(`UPDATE outbox SET state = 'sent', external_id = :externalID WHERE id = :id`, {
      id,
      externalID,
    })
  },

  async forget(before) {
    await db.run(
      `DELETE FROM outbox WHERE created < :before
          AND session_id NOT IN (SELECT session_id FROM forks WHERE state = 'open')`,
      { before },
    )
  },
})

type OutboxRow = Omit<OutboxItem, 'what' | 'process'> & {
  readonly what: string
  readonly pid: number | null
  readonly started: string | null
  readonly machine: string | null
}

const toItem = ({ what, pid, started, machine, ...row }: OutboxRow): OutboxItem => ({
  ...row,
  what: JSON.parse(what),
  process: pid === null ? null : { pid, started: started ?? '', machine: machine ?? '' },
})
