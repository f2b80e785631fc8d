import type { ChannelID, MessageID, UpdateID } from '../tree/ids.ts'
import { storable } from '../tree/text.ts'
import type { Update } from '../tree/update.ts'
import type { Queries } from './engine.ts'

export interface UpdateReader {
  /** Those that main has not been told, oldest first. */
  waiting(channelID: ChannelID): Promise<readonly Update[]>
}

export interface UpdateTable extends UpdateReader {
  insert(update: Omit<Update, 'messageID'>): Promise<void>
  /** Gives those that wait to a message of main, and returns them: each is given once. */
  assign(channelID: ChannelID, messageID: MessageID): Promise<readonly Update[]>
  /** The agent surely has the message that carried them: they are never taken back. */
  settle(messageID: MessageID): Promise<void>
  /** The agent never got the message that carried them: they wait again. */
  takeBack(messageID: MessageID): Promise<void>
  /** A message of a fork has shown these. */
  see(messageID: MessageID, ids: readonly UpdateID[]): Promise<void>
  /** The messages of forks that have shown one. */
  seenIn(id: UpdateID): Promise<readonly MessageID[]>
  remove(id: UpdateID): Promise<void>
  /** All of a channel that is being deleted. */
  removeOf(channelID: ChannelID): Promise<void>
  /** Takes out what main was told by then. */
  forget(before: number): Promise<void>
}

const columns = `id, channel_id AS "channelID", session_id AS "sessionID", text, after_seq AS "afterSeq", message_id AS "messageID", created`

export const updateTable = (db: Queries): UpdateTable => ({
  async waiting(channelID) {
    return db.all<Update>(
      `SELECT ${columns} FROM updates WHERE channel_id = :channelID AND message_id IS NULL ORDER BY id`,
      { channelID },
    )
  },

  async insert({ id, channelID, sessionID, text, afterSeq, created }) {
    await db.run(
      `INSERT INTO updates (id, channel_id, session_id, text, after_seq, created)
       VALUES (:id, :channelID, :sessionID, :text, :afterSeq, :created)`,
      { id, channelID, sessionID, text: storable(text), afterSeq, created },
    )
  },

  async assign(channelID, messageID) {
    const rows = await db.all<Update>(
      `UPDATE updates SET message_id = :messageID WHERE channel_id = :channelID AND message_id IS NULL
       RETURNING ${columns}`,
      { channelID, messageID },
    )
    return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  },

  async settle(messageID) {
    await db.run('UPDATE updates SET settled = 1 WHERE message_id = :messageID', { messageID })
  },

  async takeBack(messageID) {
    await db.run('UPDATE updates SET message_id = NULL WHERE message_id = :messageID AND settled = 0', {
      messageID,
    })
  },

  async see(messageID, ids) {
    for (const id of ids)
      await db.run('INSERT INTO updates_seen (update_id, message_id) VALUES (:id, :messageID)', {
        id,
        messageID,
      })
  },

  async seenIn(id) {
    const rows = await db.all<{ readonly messageID: MessageID }>(
      'SELECT message_id AS "messageID" FROM updates_seen WHERE update_id = :id',
      { id },
    )
    return rows.map(({ messageID }) => messageID)
  },

  async remove(id) {
    await db.run('DELETE FROM updates_seen WHERE update_id = :id', { id })
    await db.run('DELETE FROM updates WHERE id = :id', { id })
  },

  async removeOf(channelID) {
    const own = 'SELECT id FROM updates WHERE channel_id = :channelID'
    await db.run(`DELETE FROM updates_seen WHERE update_id IN (${own})`, { channelID })
    await db.run('DELETE FROM updates WHERE channel_id = :channelID', { channelID })
  },

  async forget(before) {
    await db.run('DELETE FROM updates WHERE message_id IS NOT NULL AND created < :before', { before })
    await db.run('DELETE FROM updates_seen WHERE update_id NOT IN (SELECT id FROM updates)')
  },
})
