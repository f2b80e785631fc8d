import type { ChannelID, InquiryID, TurnID } from '../tree/ids.ts'
import type { Inquiry, Link, Shown } from '../tree/link.ts'
import { storable } from '../tree/text.ts'
import type { Queries } from './engine.ts'

export interface LinkReader {
  get(channelID: ChannelID, externalID: string): Promise<Link | null>
  inquiry(id: InquiryID): Promise<Inquiry | null>
  /** The messages of a chat that show a turn, in their order. */
  showing(turnID: TurnID): Promise<readonly string[]>
}

export interface LinkTable extends LinkReader {
  insert(link: Link): Promise<void>
  insertInquiry(inquiry: Inquiry): Promise<void>
  show(shown: Shown): Promise<void>
  /** Uses an inquiry up: false when it was used before. */
  use(id: InquiryID, now: number): Promise<boolean>
  /** Those of a channel that is removed. */
  removeOf(channelID: ChannelID): Promise<void>
  /** Takes the content of those that are older; that there were any stays known. */
  forget(before: number): Promise<void>
}

export const linkTable = (db: Queries): LinkTable => ({
  async get(channelID, externalID) {
    const row = await db.get<Link>(
      `SELECT channel_id AS "channelID", external_id AS "externalID", session_id AS "sessionID", created
         FROM links WHERE channel_id = :channelID AND external_id = :externalID`,
      { channelID, externalID },
    )
    return row ?? null
  },

  async inquiry(id) {
    const row = await db.get<Inquiry>(
      `SELECT id, channel_id AS "channelID", session_id AS "sessionID", label, prompt, used, created
         FROM inquiries WHERE id = :id`,
      { id },
    )
    return row ?? null
  },

  async showing(turnID) {
    const rows = await db.all<{ readonly externalID: string }>(
      'SELECT external_id AS "externalID" FROM shown WHERE turn_id = :turnID ORDER BY place',
      { turnID },
    )
    return rows.map(({ externalID }) => externalID)
  },

  async show(shown) {
    await db.run(
      `INSERT INTO shown (channel_id, external_id, turn_id, place, created)
       VALUES (:channelID, :externalID, :turnID, (SELECT COUNT(*) FROM shown WHERE turn_id = :turnID), :created)
       ON CONFLICT (channel_id, external_id) DO NOTHING`,
      { ...shown },
    )
  },

  async insert(link) {
    await db.run(
      `INSERT INTO links (channel_id, external_id, session_id, created)
       VALUES (:channelID, :externalID, :sessionID, :created)
       ON CONFLICT (channel_id, external_id) DO NOTHING`,
      { ...link },
    )
  },

  async insertInquiry({ label, prompt, ...inquiry }) {
    await db.run(
      `INSERT INTO inquiries (id, channel_id, session_id, label, prompt, used, created)
       VALUES (:id, :channelID, :sessionID, :label, :prompt, :used, :created)`,
      { ...inquiry, label: storable(label), prompt: prompt === null ? null : storable(prompt) },
    )
  },

  async use(id, now) {
    const changed = await db.run(
      'UPDATE inquiries SET used = :now WHERE id = :id AND used IS NULL AND prompt IS NOT NULL',
      { id, now },
    )
    return changed > 0
  },

  async removeOf(channelID) {
    for (const table of ['links', 'inquiries', 'shown'])
      await db.run(`DELETE FROM ${table} WHERE channel_id = :channelID`, { channelID })
  },

  async forget(before) {
    await db.run('DELETE FROM shown WHERE created < :before', { before })
    await db.run('UPDATE links SET session_id = NULL WHERE created < :before AND session_id IS NOT NULL', {
      before,
    })
    await db.run('UPDATE inquiries SET prompt = NULL WHERE created < :before AND prompt IS NOT NULL', {
      before,
    })
  },
})
