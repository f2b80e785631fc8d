import type { MessageID, SessionID, SnapshotID, TurnID } from '../tree/ids.ts'
import type { Missing, Snapshot } from '../tree/snapshot.ts'
import { storable } from '../tree/text.ts'
import type { Queries } from './engine.ts'

export interface SnapshotReader {
  get(id: SnapshotID): Promise<Snapshot | null>
  /** The newest of the files at `root`. */
  latest(root: string): Promise<Snapshot | null>
  /** The last one that was taken at or before message `seq` of a session, and at which message. */
  before(sessionID: SessionID, seq: number): Promise<{ readonly id: SnapshotID; readonly seq: number } | null>
  all(): Promise<readonly Snapshot[]>
  /** Those that a message stands on, or that an undo may go back to. */
  needed(): Promise<ReadonlySet<SnapshotID>>
}

export interface SnapshotTable extends SnapshotReader {
  insert(snapshot: Snapshot): Promise<void>
  /** Says that the files were so at a message. A message keeps the first that it was given. */
  mark(messageID: MessageID, id: SnapshotID): Promise<void>
  remove(id: SnapshotID): Promise<void>
}

const columns = `id, project_id AS "projectID", root, tree, head, branch, missing, beside, created`

export const snapshotTable = (db: Queries): SnapshotTable => ({
  async get(id) {
    const row = await db.get<SnapshotRow>(`SELECT ${columns} FROM snapshots WHERE id = :id`, { id })
    return row ? toSnapshot(row) : null
  },

  async latest(root) {
    const row = await db.get<SnapshotRow>(
      `SELECT ${columns} FROM snapshots WHERE root = :root ORDER BY id DESC LIMIT 1`,
      { root },
    )
    return row ? toSnapshot(row) : null
  },

  async before(sessionID, seq) {
    const row = await db.get<{ id: SnapshotID; seq: number }>(
      `SELECT snapshot AS id, seq FROM messages
        WHERE session_id = :sessionID AND seq <= :seq AND snapshot IS NOT NULL ORDER BY seq DESC LIMIT 1`,
      { sessionID, seq },
    )
    return row ?? null
  },

  async all() {
    const rows = await db.all<SnapshotRow>(`SELECT ${columns} FROM snapshots ORDER BY id`)
    return rows.map(toSnapshot)
  },

  async needed() {
    const rows = await db.all<{ id: SnapshotID }>(
      'SELECT DISTINCT snapshot AS id FROM messages WHERE snapshot IS NOT NULL',
    )
    return new Set(rows.map((row) => row.id))
  },

  async insert(snapshot) {
    await db.run(
      `INSERT INTO snapshots (id, project_id, root, tree, head, branch, missing, beside, created)
       VALUES (:id, :projectID, :root, :tree, :head, :branch, :missing, :beside, :created)`,
      {
        ...snapshot,
        root: storable(snapshot.root),
        missing: JSON.stringify(snapshot.missing),
        beside: JSON.stringify(snapshot.beside),
      },
    )
  },

  async mark(messageID, id) {
    await db.run('UPDATE messages SET snapshot = :id WHERE id = :messageID AND snapshot IS NULL', {
      messageID,
      id,
    })
  },

  async remove(id) {
    await db.run('DELETE FROM snapshots WHERE id = :id', { id })
  },
})

type SnapshotRow = Omit<Snapshot, 'missing' | 'beside'> & {
  readonly missing: string
  readonly beside: string
}

function toSnapshot(row: SnapshotRow): Snapshot {
  const missing: readonly Missing[] = JSON.parse(row.missing)
  const beside: readonly TurnID[] = JSON.parse(row.beside)
  return { ...row, missing, beside }
}
