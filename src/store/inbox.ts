import type { ChannelID, InboxID, MessageID, SessionID } from '../tree/ids.ts'
import type { InboxItem } from '../tree/inbox.ts'
import type { ProcessIdentity } from '../tree/owner.ts'
import { storable, storableJson } from '../tree/text.ts'
import type { Queries } from './engine.ts'

export interface InboxReader {
  get(id: InboxID): Promise<InboxItem | null>
  /** What is being done or waits for that, in the order in which it is done. */
  open(channelID: ChannelID): Promise<readonly InboxItem[]>
  /** What has become a message. */
  ofMessage(messageID: MessageID): Promise<InboxItem | null>
  /** Whether a message of the chat has come in. */
  hasHeard(channelID: ChannelID, externalID: string): Promise<boolean>
  /** Channels in which something is being done or waits. */
  busy(): Promise<readonly ChannelID[]>
}

export interface InboxTable extends InboxReader {
  insert(item: InboxItem): Promise<void>
  /** Begins it, when it waits with this process and nothing of its channel is being done: false otherwise. */
  begin(id: InboxID, process: ProcessIdentity): Promise<boolean>
  /** It has opened a fork, and that is not done again: false when it is no longer with this process. */
  entered(id: InboxID, process: ProcessIdentity, forkID: SessionID): Promise<boolean>
  /** It has become a message, and is never done again: false when it is no longer with this process. */
  bind(id: InboxID, process: ProcessIdentity, messageID: MessageID): Promise<boolean>
  end(id: InboxID, state: 'done' | 'failed', reason: string | null): Promise<void>
  /** Takes out what was over by then. */
  forget(before: number): Promise<void>
  /** Whoever had it is gone before it became a message: it waits again, with another. False when it changed hands before. */
  adopt(id: InboxID, from: ProcessIdentity, process: ProcessIdentity): Promise<boolean>
}

const columns = `id, channel_id AS "channelID", what, urgent, for_main AS "forMain", state, pid, started, machine,
  fork_id AS "forkID", message_id AS "messageID", reason, created`

export const inboxTable = (db: Queries): InboxTable => ({
  async get(id) {
    const row = await db.get<InboxRow>(`SELECT ${columns} FROM inbox WHERE id = :id`, { id })
    return row ? toItem(row) : null
  },

  async open(channelID) {
    const rows = await db.all<InboxRow>(
      `SELECT ${columns} FROM inbox WHERE channel_id = :channelID AND state IN ('waiting', 'running')
        ORDER BY state = 'waiting', urgent DESC, id`,
      { channelID },
    )
    return rows.map(toItem)
  },

  async ofMessage(messageID) {
    const row = await db.get<InboxRow>(`SELECT ${columns} FROM inbox WHERE message_id = :messageID`, {
      messageID,
    })
    return row ? toItem(row) : null
  },

  async hasHeard(channelID, externalID) {
    const row = await db.get(
      'SELECT id FROM inbox WHERE channel_id = :channelID AND external_id = :externalID',
      { channelID, externalID },
    )
    return row !== undefined
  },

  async busy() {
    const rows = await db.all<{ readonly id: ChannelID }>(
      `SELECT DISTINCT channel_id AS id FROM inbox WHERE state IN ('waiting', 'running')`,
    )
    return rows.map(({ id }) => id)
  },

  async insert({ id, channelID, what, isUrgent, isForMain, state, process, reason, created }) {
    await db.run(
      `INSERT INTO inbox
         (id, channel_id, external_id, what, urgent, for_main, state, pid, started, machine, reason, created)
       VALUES
         (:id, :channelID, :externalID, :what, :urgent, :forMain, :state, :pid, :started, :machine, :reason, :created)`,
      {
        id,
        channelID,
        externalID: what.kind === 'message' ? what.externalID : null,
        what: storableJson(what),
        urgent: isUrgent ? 1 : 0,
        forMain: isForMain ? 1 : 0,
        state,
        ...process,
        reason,
        created,
      },
    )
  },

  async begin(id, process) {
    const changed = await db.run(
      `UPDATE inbox SET state = 'running'
        WHERE id = :id AND state = 'waiting' AND pid = :pid AND started = :started AND machine = :machine
          AND NOT EXISTS (SELECT 1 FROM inbox other WHERE other.channel_id = inbox.channel_id AND other.state = 'running')`,
      { id, ...process },
    )
    return changed > 0
  },

  async entered(id, process, forkID) {
    const changed = await db.run(
      `UPDATE inbox SET fork_id = :forkID
        WHERE id = :id AND state = 'running' AND pid = :pid AND started = :started AND machine = :machine`,
      { id, ...process, forkID },
    )
    return changed > 0
  },

  async bind(id, process, messageID) {
    const changed = await db.run(
      `UPDATE inbox SET message_id = :messageID
        WHERE id = :id AND state = 'running' AND pid = :pid AND started = :started AND machine = :machine`,
      { id, ...process, messageID },
    )
    return changed > 0
  },

  async end(id, state, reason) {
    await db.run(
      `UPDATE inbox SET state = :state, reason = :reason WHERE id = :id AND state IN ('waiting', 'running')`,
      { id, state, reason: reason === null ? null : storable(reason) },
    )
  },

  async adopt(id, from, process) {
    const changed = await db.run(
      `UPDATE inbox SET state = 'waiting', pid = :pid, started = :started, machine = :machine
        WHERE id = :id AND state IN ('waiting', 'running') AND message_id IS NULL
          AND pid = :fromPid AND started = :fromStarted AND machine = :fromMachine`,
      { id, ...process, fromPid: from.pid, fromStarted: from.started, fromMachine: from.machine },
    )
    return changed > 0
  },

  async forget(before) {
    await db.run(`DELETE FROM inbox WHERE state IN ('done', 'failed') AND created < :before`, { before })
  },
})

type InboxRow = Omit<InboxItem, 'what' | 'process' | 'isUrgent' | 'isForMain'> &
  ProcessRow & {
    readonly what: string
    readonly urgent: number
    readonly forMain: number
  }

interface ProcessRow {
  readonly pid: number
  readonly started: string
  readonly machine: string
}

const toItem = ({ what, urgent, forMain, pid, started, machine, ...row }: InboxRow): InboxItem => ({
  ...row,
  what: JSON.parse(what),
  isUrgent: urgent === 1,
  isForMain: forMain === 1,
  process: { pid, started, machine },
})
