import { endOfID, type MessageID, type SessionID } from '../tree/ids.ts'
import type { Range } from '../tree/line.ts'
import { type Message, type NewMessage, textOf } from '../tree/message.ts'
import { storableJson } from '../tree/text.ts'
import { noUsage, type Usage } from '../tree/usage.ts'
import type { Queries } from './engine.ts'
import { forUsage, usageValues } from './usage-columns.ts'

export interface MessageReader {
  get(id: MessageID): Promise<Message | null>
  /** Whether there is one with that id; it may be any text. */
  has(id: string): Promise<boolean>
  /** Oldest first. */
  range(range: Range): Promise<readonly Message[]>
  /** Messages of a range whose id begins or ends so; only the first few. */
  matching(range: Range, bareID: string): Promise<readonly Message[]>
  /** The nearest assistant message at or before one, in its session: where its tool group would begin. */
  groupStart(sessionID: SessionID, seq: number): Promise<number>
  /** Which messages of a range stand for which entries of an agent's own history. */
  entries(range: Range): Promise<readonly { readonly seq: number; readonly nativeID: string }[]>
  /** The sum of what was booked on the messages of a range. */
  usage(range: Range): Promise<Usage>
  /** How many bytes their parts take. */
  bytes(range: Range): Promise<number>
}

export interface MessageTable extends MessageReader {
  /** Puts messages at the end of a session, in this order. */
  append(sessionID: SessionID, messages: readonly NewMessage[]): Promise<readonly Message[]>
  /** Some agents tell only at the end of a turn what stands for its last message; what is bound stays so. */
  bindNative(id: MessageID, nativeID: string): Promise<void>
  /** Books more on a message, which is the last of its session: some agents tell what a turn cost when all of it is stored. */
  book(id: MessageID, usage: Usage): Promise<void>
  /** Deletes what comes after message `seq` of a session that is being deleted. */
  trim(sessionID: SessionID, seq: number): Promise<void>
}

const columns = `
  id, session_id AS "sessionID", seq, role, status, native_id AS "nativeID", snapshot, input_tokens AS "inputTokens",
  output_tokens AS "outputTokens", cache_read_tokens AS "cacheReadTokens", cache_write_tokens AS "cacheWriteTokens",
  cost_usd AS "costUSD", created, parts`

export const messageTable = (db: Queries): MessageTable => ({
  async get(id) {
    const row = await db.get<MessageRow>(`SELECT ${columns} FROM messages WHERE id = :id`, { id })
    return row ? toMessage(row) : null
  },

  async has(id) {
    return (await db.get('SELECT 1 AS found FROM messages WHERE id = :id', { id })) !== undefined
  },

  async range({ sessionID, from, to }) {
    const rows = await db.all<MessageRow>(
      `SELECT ${columns} FROM messages WHERE session_id = :sessionID AND seq BETWEEN :from AND :to ORDER BY seq`,
      { sessionID, from, to },
    )
    return rows.map(toMessage)
  },

  async matching({ sessionID, from, to }, bareID) {
    const rows = await db.all<MessageRow>(
      `SELECT ${columns} FROM messages WHERE session_id = :sessionID AND seq BETWEEN :from AND :to
          AND (id LIKE 'msg^_' || :bareID || '%' ESCAPE '^' OR id LIKE '%' || :end)
        ORDER BY seq LIMIT 6`,
      { sessionID, from, to, bareID, end: endOfID(bareID) },
    )
    return rows.map(toMessage)
  },

  async groupStart(sessionID, seq) {
    const row = await db.get<{ seq: number }>(
      `SELECT seq FROM messages WHERE session_id = :sessionID AND seq <= :seq AND role = 'assistant'
        ORDER BY seq DESC LIMIT 1`,
      { sessionID, seq },
    )
    return row?.seq ?? seq
  },

  entries({ sessionID, from, to }) {
    return db.all<{ seq: number; nativeID: string }>(
      `SELECT seq, native_id AS "nativeID" FROM messages
        WHERE session_id = :sessionID AND seq BETWEEN :from AND :to AND native_id IS NOT NULL ORDER BY seq`,
      { sessionID, from, to },
    )
  },

  async usage({ sessionID, from, to }) {
    const row = await db.get<Usage>(
      `SELECT coalesce(sum(input_tokens), 0) AS "inputTokens", coalesce(sum(output_tokens), 0) AS "outputTokens",
              coalesce(sum(cache_read_tokens), 0) AS "cacheReadTokens",
              coalesce(sum(cache_write_tokens), 0) AS "cacheWriteTokens", coalesce(sum(cost_usd), 0) AS "costUSD"
         FROM messages WHERE session_id = :sessionID AND seq BETWEEN :from AND :to AND input_tokens IS NOT NULL`,
      { sessionID, from, to },
    )
    return row ?? noUsage
  },

  async bytes({ sessionID, from, to }) {
    const row = await db.get<{ bytes: number }>(
      `SELECT coalesce(sum(octet_length(parts)), 0) AS bytes FROM messages
        WHERE session_id = :sessionID AND seq BETWEEN :from AND :to`,
      { sessionID, from, to },
    )
    return row?.bytes ?? 0
  },

  async append(sessionID, messages) {
    const added: Message[] = []
    for (const message of messages) {
      const parts = storableJson(message.parts)
      const usage = message.usage ?? null
      const counts = message.isCountedElsewhere ? 0 : 1
      const row = await db.get<MessageRow>(
        `INSERT INTO messages (id, session_id, seq, role, status, native_id, created, parts, ${forUsage((kind) => kind)},
                               ${forUsage((kind) => `spent_${kind}`)})
         SELECT :id, :sessionID, coalesce((SELECT max(seq) FROM messages WHERE session_id = :sessionID), 0) + 1, :role,
                :status, :nativeID, :created, :parts, ${forUsage((kind) => `:${kind}`)},
                ${forUsage((kind) => `s.spent_${kind} + coalesce(:${kind}, 0) * :counts`)}
           FROM sessions s WHERE s.id = :sessionID
         RETURNING ${columns}`,
        {
          id: message.id,
          sessionID,
          role: message.role,
          status: message.status,
          nativeID: message.nativeID ?? null,
          created: message.created,
          parts,
          counts,
          ...usageValues(usage),
        },
      )
      if (usage && counts > 0) {
        await db.run(
          `UPDATE sessions SET ${forUsage((kind) => `spent_${kind} = spent_${kind} + :${kind}`)} WHERE id = :sessionID`,
          { sessionID, ...usageValues(usage) },
        )
      }
      if (row) added.push(toMessage(row))
    }
    return added
  },

  async bindNative(id, nativeID) {
    await db.run('UPDATE messages SET native_id = :nativeID WHERE id = :id AND native_id IS NULL', {
      id,
      nativeID,
    })
  },

  async book(id, usage) {
    const values = usageValues(usage)
    await db.run(
      `UPDATE messages SET ${forUsage((kind) => `${kind} = coalesce(${kind}, 0) + :${kind}, spent_${kind} = spent_${kind} + :${kind}`)}
        WHERE id = :id`,
      { id, ...values },
    )
    await db.run(
      `UPDATE sessions SET ${forUsage((kind) => `spent_${kind} = spent_${kind} + :${kind}`)}
        WHERE id = (SELECT session_id FROM messages WHERE id = :id)`,
      { id, ...values },
    )
  },

  async trim(sessionID, seq) {
    await db.run('DELETE FROM messages WHERE session_id = :sessionID AND seq > :seq', { sessionID, seq })
  },
})

type MessageRow = Omit<Message, 'text' | 'parts' | 'usage'> & { readonly parts: string } & {
  readonly [K in keyof Usage]: number | null
}

function toMessage(row: MessageRow): Message {
  const { parts: json, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUSD, ...rest } = row
  const parts = JSON.parse(json)
  const usage =
    inputTokens === null
      ? null
      : {
          inputTokens,
          outputTokens: outputTokens ?? 0,
          cacheReadTokens: cacheReadTokens ?? 0,
          cacheWriteTokens: cacheWriteTokens ?? 0,
          costUSD: costUSD ?? 0,
        }
  return { ...rest, text: textOf(parts), parts, usage }
}
