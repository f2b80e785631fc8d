import type { Channel } from '../tree/channel.ts'
import type { ChannelID, SessionID } from '../tree/ids.ts'
import type { Queries } from './engine.ts'

export interface ChannelReader {
  get(id: ChannelID): Promise<Channel | null>
  /** As its front end knows it. */
  keyed(frontEnd: string, key: string): Promise<Channel | null>
  all(): Promise<readonly Channel[]>
  /** Those whose main a session is. */
  withMain(sessionID: SessionID): Promise<readonly Channel[]>
}

export interface ChannelTable extends ChannelReader {
  insert(channel: Omit<Channel, 'openForkID' | 'lastHeard'>): Promise<void>
  /** Moves main, when it still is `from`: false when it is not. */
  moveMain(id: ChannelID, from: SessionID, to: SessionID): Promise<boolean>
  /** A message of the chat has come in. */
  heard(id: ChannelID, externalID: string): Promise<void>
  remove(id: ChannelID): Promise<void>
}

const columns = `c.id, c.front_end AS "frontEnd", c.key, c.main_id AS "mainID", c.last_heard AS "lastHeard", c.created,
  (SELECT f.session_id FROM forks f WHERE f.channel_id = c.id AND f.kind = 'interactive' AND f.state = 'open') AS "openForkID"`

export const channelTable = (db: Queries): ChannelTable => ({
  async get(id) {
    const row = await db.get<Channel>(`SELECT ${columns} FROM channels c WHERE c.id = :id`, { id })
    return row ?? null
  },

  async keyed(frontEnd, key) {
    const row = await db.get<Channel>(
      `SELECT ${columns} FROM channels c WHERE c.front_end = :frontEnd AND c.key = :key`,
      { frontEnd, key },
    )
    return row ?? null
  },

  async all() {
    return db.all<Channel>(`SELECT ${columns} FROM channels c ORDER BY c.id`)
  },

  async withMain(sessionID) {
    return db.all<Channel>(`SELECT ${columns} FROM channels c WHERE c.main_id = :sessionID ORDER BY c.id`, {
      sessionID,
    })
  },

  async insert({ id, frontEnd, key, mainID, created }) {
    await db.run(
      `INSERT INTO channels (id, front_end, key, main_id, created)
       VALUES (:id, :frontEnd, :key, :mainID, :created)`,
      { id, frontEnd, key, mainID, created },
    )
  },

  async moveMain(id, from, to) {
    const changed = await db.run('UPDATE channels SET main_id = :to WHERE id = :id AND main_id = :from', {
      id,
      from,
      to,
    })
    return changed > 0
  },

  async heard(id, externalID) {
    await db.run('UPDATE channels SET last_heard = :externalID WHERE id = :id', { id, externalID })
  },

  async remove(id) {
    await db.run('DELETE FROM channels WHERE id = :id', { id })
  },
})
