import { endOfID, type MessageID, type SessionID, type SnapshotID, type TurnID } from '../tree/ids.ts'
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
  /** Whose id begins or ends so; only the first few. */
  matching(bareID: string): Promise<readonly Snapshot[]>
  /** Those that messages name. */
  named(): Promise<ReadonlySet<SnapshotID>>
  /** Those whose files must stay as long as their sessions live: at the newest message, or where a fork begins. */
  stoodOn(): Promise<ReadonlySet<SnapshotID>>
}

export interface SnapshotTable extends SnapshotReader {
  insert(snapshot: Snapshot): Promise<void>
  /** Says that the files were so at a message. A message keeps the first that it was given. */
  mark(messageID: MessageID, id: SnapshotID): Promise<void>
  /** Its files are about to go; that it was there stays known. */
  free(id: SnapshotID): Promise<void>
  remove(id: SnapshotID): Promise<void>
}

const columns = `id, project_id AS "projectID", root, tree, head, branch, missing, beside, saved, freed, created`

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

  async matching(bareID) {
    const rows = await db.all<SnapshotRow>(
      `SELECT ${columns} FROM snapshots
        WHERE id LIKE 'snp^_' || :bareID || '%' ESCAPE '^' OR id LIKE '%' || :end ORDER BY id LIMIT 6`,
      { bareID, end: endOfID(bareID) },
    )
    return rows.map(toSnapshot)
  },

  async named() {
    const rows = await db.all<{ id: SnapshotID }>(
      'SELECT DISTINCT snapshot AS id FROM messages WHERE snapshot IS NOT NULL',
    )
    return new Set(rows.map((row) => row.id))
  },

  // A point without a snapshot of its own stands on the last one before it.
  async stoodOn() {
    const rows = await db.all<{ id: SnapshotID | null }>(
      `WITH points (session_id, seq) AS (
         SELECT m.session_id, m.seq FROM sessions f JOIN messages m ON m.id = f.fork_point
         UNION SELECT s.id, 9007199254740991 FROM sessions s WHERE s.deleted = 0)
       SELECT DISTINCT (SELECT n.snapshot FROM messages n
                         WHERE n.session_id = points.session_id AND n.seq <= points.seq AND n.snapshot IS NOT NULL
                         ORDER BY n.seq DESC LIMIT 1) AS id
         FROM points`,
    )
    return new Set(rows.flatMap(({ id }) => id ?? []))
  },

  async insert(snapshot) {
    await db.run(
      `INSERT INTO snapshots (id, project_id, root, tree, head, branch, missing, beside, saved, freed, created)
       VALUES (:id, :projectID, :root, :tree, :head, :branch, :missing, :beside, :saved, :freed, :created)`,
      {
        ...snapshot,
        root: storable(snapshot.root),
        missing: JSON.stringify(snapshot.missing),
        beside: JSON.stringify(snapshot.beside),
        saved: snapshot.saved ? 1 : 0,
        freed: snapshot.freed ? 1 : 0,
      },
    )
  },

  async mark(messageID, id) {
    await db.run('UPDATE messages SET snapshot = :id WHERE id = :messageID AND snapshot IS NULL', {
      messageID,
      id,
    })
  },

  async free(id) {
    await db.run('UPDATE snapshots SET freed = 1 WHERE id = :id', { id })
  },

  async remove(id) {
    await db.run('DELETE FROM snapshots WHERE id = :id', { id })
  },
})

type SnapshotRow = Omit<Snapshot, 'missing' | 'beside' | 'saved' | 'freed'> & {
  readonly missing: string
  readonly beside: string
  readonly saved: number
  readonly freed: number
}

function toSnapshot(row: SnapshotRow): Snapshot {
  const missing: readonly Missing[] = JSON.parse(row.missing)
  const beside: readonly TurnID[] = JSON.parse(row.beside)
  return { ...row, missing, beside, saved: row.saved === 1, freed: row.freed === 1 }
}
