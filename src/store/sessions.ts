import { endOfID, type SessionID, type WorkspaceID } from '../tree/ids.ts'
import type { Line, Segment } from '../tree/line.ts'
import type { SessionQuery } from '../tree/query.ts'
import type { NewSession, Session, SessionChange } from '../tree/session.ts'
import { storable } from '../tree/text.ts'
import type { WorkspaceUse } from '../tree/workspace.ts'
import type { Queries } from './engine.ts'
import { forUsage, usageFrom, usageText } from './usage-columns.ts'

export interface SessionReader {
  /** Tombstones too. */
  get(id: SessionID): Promise<Session | null>
  /** Newest first, without tombstones. */
  list(query: SessionQuery): Promise<readonly Session[]>
  /** Living sessions whose id begins or ends so; only the first few. */
  matching(bareID: string): Promise<readonly Session[]>
  /** Living sessions that name it as their parent, oldest first. */
  children(id: SessionID): Promise<readonly Session[]>
  /** Every session of the tree that a session belongs to by parentage, tombstones too. */
  family(id: SessionID): Promise<readonly Session[]>
  /** Living sessions that work in a directory or below it, archived ones too. */
  workingIn(directory: string): Promise<readonly Session[]>
  /** The directories of living sessions, archived ones too; those used last first. */
  directories(): Promise<readonly WorkspaceUse[]>
  /** Whether a living session names it. */
  namesWorkspace(id: WorkspaceID): Promise<boolean>
  /** Tombstones that nobody stands on and nothing was done with since: of something that was never finished. */
  unfinished(since: number): Promise<readonly Session[]>
  /** Every session, tombstones too. */
  all(): Promise<readonly Session[]>
  /** What its agent is given: stretches of messages, oldest first. */
  line(id: SessionID): Promise<Line>
  /** What its native session was like when the tree last had all of it; null where nobody has looked. */
  nativeVersion(id: SessionID): Promise<string | null>
  /** The living session that goes on in a native session: the one that was bound to it last. */
  boundTo(agent: string, nativeID: string): Promise<SessionID | null>
  /** Whether anybody names it as parent, and up to which of its messages lines of others go (0: none). */
  dependence(id: SessionID): Promise<{ readonly children: number; readonly lastNeeded: number }>
}

export interface SessionTable extends SessionReader {
  insert(session: NewSession): Promise<void>
  change(id: SessionID, change: SessionChange, now: number): Promise<void>
  /** Names a session after its first prompt, unless the person has named it. */
  nameIfUntitled(id: SessionID, title: string): Promise<boolean>
  touch(id: SessionID, now: number): Promise<void>
  /** Null: it has none any more. */
  bindNative(id: SessionID, nativeID: string | null): Promise<void>
  /** Notes what the session's native session is like, as far as the tree knows it. */
  noteNative(id: SessionID, version: string | null): Promise<void>
  /** Leaves the row, for those who stand on it. */
  bury(id: SessionID): Promise<void>
  /** Shows one that was buried while it was made. */
  unbury(id: SessionID): Promise<void>
  /** Lets a tombstone begin at nothing, when no line goes through it any more. */
  cutLine(id: SessionID): Promise<void>
  remove(id: SessionID): Promise<void>
}

const columns = `
  s.id, s.parent_id AS "parentID", s.fork_point AS "forkPoint", s.fork_seed_id AS "forkSeedID", s.title, s.agent,
  s.model, s.directory, s.sandbox, s.workspace_id AS "workspaceID", s.kind, s.labels, s.archived, s.deleted,
  s.native_id AS "nativeID", s.created, s.updated,
  ${usageText('s.spent')} AS spent, ${usageText('s.inherited')} AS inherited,
  EXISTS (SELECT 1 FROM turns t WHERE t.session_id = s.id AND t.outcome IS NULL) AS running,
  s.fork_seed_id IS NOT NULL
    AND EXISTS (SELECT 1 FROM fork_seeds f WHERE f.id = s.fork_seed_id AND f.state IN ('waiting', 'sending')) AS seeding,
  coalesce((SELECT max(m.seq) FROM messages m WHERE m.session_id = s.id), 0) AS messages`

export const sessionTable = (db: Queries): SessionTable => ({
  async get(id) {
    const row = await db.get<SessionRow>(`SELECT ${columns} FROM sessions s WHERE s.id = :id`, { id })
    return row ? toSession(row) : null
  },

  async list(query) {
    const where = ['s.deleted = 0']
    if (query.before) where.push('s.id < :before')
    if (query.directory) where.push('s.directory = :directory')
    if (query.agent) where.push('s.agent = :agent')
    if (query.parentID) where.push('s.parent_id = :parentID')
    if (query.label) where.push(`s.labels LIKE :label ESCAPE '\\'`)
    if (query.state === 'running')
      where.push('s.id IN (SELECT t.session_id FROM turns t WHERE t.outcome IS NULL)')
    if (query.q) where.push(`lower(s.title) LIKE lower(:q) ESCAPE '\\'`)
    if (query.archived !== undefined) where.push('s.archived = :archived')
    const rows = await db.all<SessionRow>(
      `SELECT ${columns} FROM sessions s WHERE ${where.join(' AND ')} ORDER BY s.id DESC LIMIT :limit`,
      {
        limit: query.limit ?? Number.MAX_SAFE_INTEGER,
        ...(query.before && { before: query.before }),
        ...(query.directory && { directory: query.directory }),
        ...(query.agent && { agent: query.agent }),
        ...(query.parentID && { parentID: query.parentID }),
        ...(query.label && { label: `%${escapeLike(JSON.stringify(query.label))}%` }),
        ...(query.q && { q: `%${escapeLike(query.q)}%` }),
        ...(query.archived !== undefined && { archived: query.archived ? 1 : 0 }),
      },
    )
    return rows.map(toSession)
  },

  async matching(bareID) {
    const rows = await db.all<SessionRow>(
      `SELECT ${columns} FROM sessions s
        WHERE s.deleted = 0 AND (s.id LIKE 'ses^_' || :bareID || '%' ESCAPE '^' OR s.id LIKE '%' || :end)
        ORDER BY s.id LIMIT 6`,
      { bareID, end: endOfID(bareID) },
    )
    return rows.map(toSession)
  },

  async children(id) {
    const rows = await db.all<SessionRow>(
      `SELECT ${columns} FROM sessions s WHERE s.parent_id = :id AND s.deleted = 0 ORDER BY s.id`,
      { id },
    )
    return rows.map(toSession)
  },

  async family(id) {
    const rows = await db.all<SessionRow>(
      `WITH RECURSIVE
         up (id, parent_id) AS (
           SELECT id, parent_id FROM sessions WHERE id = :id
           UNION ALL SELECT s.id, s.parent_id FROM up JOIN sessions s ON s.id = up.parent_id),
         down (id) AS (
           SELECT id FROM up WHERE parent_id IS NULL OR NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = up.parent_id)
           UNION ALL SELECT s.id FROM down JOIN sessions s ON s.parent_id = down.id)
       SELECT ${columns} FROM down JOIN sessions s ON s.id = down.id`,
      { id },
    )
    return rows.map(toSession)
  },

  async workingIn(directory) {
    const rows = await db.all<SessionRow>(
      `SELECT ${columns} FROM sessions s
        WHERE s.deleted = 0
          AND (s.directory = :directory OR substr(s.directory, 1, length(:directory) + 1) = :directory || '/')
        ORDER BY s.id`,
      { directory },
    )
    return rows.map(toSession)
  },

  async directories() {
    return db.all<WorkspaceUse>(
      `SELECT d.directory, w.id AS "workspaceID", w.branch, d.sessions, d.updated
         FROM (SELECT directory, count(*) AS sessions, max(updated) AS updated
                 FROM sessions WHERE deleted = 0 GROUP BY directory) AS d
         LEFT JOIN workspaces w
           ON d.directory = w.path OR substr(d.directory, 1, length(w.path) + 1) = w.path || '/'
        ORDER BY d.updated DESC, d.directory`,
    )
  },

  async namesWorkspace(id) {
    const row = await db.get<{ found: number }>(
      'SELECT EXISTS (SELECT 1 FROM sessions WHERE workspace_id = :id AND deleted = 0) AS found',
      { id },
    )
    return row?.found === 1
  },

  async unfinished(since) {
    const rows = await db.all<SessionRow>(
      `SELECT ${columns} FROM sessions s
        WHERE s.deleted = 1 AND s.updated < :since
          AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent_id = s.id)
          AND NOT EXISTS (SELECT 1 FROM messages m JOIN sessions f ON f.fork_point = m.id WHERE m.session_id = s.id)
        ORDER BY s.id`,
      { since },
    )
    return rows.map(toSession)
  },

  async all() {
    const rows = await db.all<SessionRow>(`SELECT ${columns} FROM sessions s`)
    return rows.map(toSession)
  },

  line(id) {
    return db.all<Segment>(
      `WITH RECURSIVE up (depth, session_id, last, fork_point) AS (
         SELECT 0, s.id, coalesce((SELECT max(seq) FROM messages WHERE session_id = s.id), 0), s.fork_point
           FROM sessions s WHERE s.id = :id
         UNION ALL
         SELECT up.depth + 1, m.session_id, m.seq, s.fork_point
           FROM up JOIN messages m ON m.id = up.fork_point JOIN sessions s ON s.id = m.session_id)
       SELECT session_id AS "sessionID", last FROM up ORDER BY depth DESC`,
      { id },
    )
  },

  async nativeVersion(id) {
    const row = await db.get<{ version: string | null }>(
      'SELECT native_version AS version FROM sessions WHERE id = :id',
      { id },
    )
    return row?.version ?? null
  },

  async boundTo(agent, nativeID) {
    const row = await db.get<{ id: SessionID }>(
      `SELECT id FROM sessions WHERE native_id = :nativeID AND agent = :agent AND deleted = 0
        ORDER BY id DESC LIMIT 1`,
      { agent, nativeID },
    )
    return row?.id ?? null
  },

  async dependence(id) {
    const row = await db.get<{ children: number; lastNeeded: number }>(
      `SELECT (SELECT count(*) FROM sessions c WHERE c.parent_id = :id) AS children,
              coalesce((SELECT max(m.seq) FROM messages m JOIN sessions f ON f.fork_point = m.id
                         WHERE m.session_id = :id), 0) AS "lastNeeded"`,
      { id },
    )
    return row ?? { children: 0, lastNeeded: 0 }
  },

  async insert(session) {
    // What a line has cost up to a message never changes, so it is summed up once.
    await db.run(
      `INSERT INTO sessions (id, parent_id, fork_point, title, titled, agent, model, directory, sandbox, workspace_id, kind,
                             labels, created, updated, ${forUsage((kind) => `inherited_${kind}`)})
       SELECT :id, :parentID, :forkPoint, :title, :titled, :agent, :model, :directory, :sandbox, :workspaceID, :kind,
              :labels, :created, :created, ${forUsage((kind) => `coalesce(m.spent_${kind} + o.inherited_${kind}, 0)`)}
         FROM (SELECT 1) AS one
         LEFT JOIN messages m ON m.id = :forkPoint LEFT JOIN sessions o ON o.id = m.session_id`,
      {
        ...session,
        title: storable(session.title),
        titled: session.titled ? 1 : 0,
        sandbox: session.sandbox ?? null,
        workspaceID: session.workspaceID ?? null,
        labels: JSON.stringify(session.labels),
      },
    )
  },

  async change(id, { title, model, labels, archived }, now) {
    await db.run(
      `UPDATE sessions SET updated = :now,
         title = coalesce(:title, title), titled = CASE WHEN :title IS NULL THEN titled ELSE 1 END,
         model = coalesce(:model, model), labels = coalesce(:labels, labels), archived = coalesce(:archived, archived)
       WHERE id = :id`,
      {
        id,
        now,
        title: title === undefined ? null : storable(title),
        model: model ?? null,
        labels: labels === undefined ? null : JSON.stringify(labels),
        archived: archived === undefined ? null : archived ? 1 : 0,
      },
    )
  },

  async nameIfUntitled(id, title) {
    const changed = await db.run(
      'UPDATE sessions SET title = :title, titled = 1 WHERE id = :id AND titled = 0',
      {
        id,
        title: storable(title),
      },
    )
    return changed > 0
  },

  async touch(id, now) {
    await db.run('UPDATE sessions SET updated = :now WHERE id = :id', { id, now })
  },

  async bindNative(id, nativeID) {
    await db.run('UPDATE sessions SET native_id = :nativeID WHERE id = :id', { id, nativeID })
  },

  async noteNative(id, version) {
    await db.run('UPDATE sessions SET native_version = :version WHERE id = :id', { id, version })
  },

  async bury(id) {
    await db.run('UPDATE sessions SET deleted = 1 WHERE id = :id', { id })
  },

  async unbury(id) {
    await db.run('UPDATE sessions SET deleted = 0 WHERE id = :id', { id })
  },

  async cutLine(id) {
    await db.run('UPDATE sessions SET fork_point = NULL WHERE id = :id', { id })
  },

  async remove(id) {
    await db.run('DELETE FROM sessions WHERE id = :id', { id })
  },
})

type SessionRow = Omit<Session, 'state' | 'labels' | 'archived' | 'deleted' | 'cost'> & {
  readonly labels: string
  readonly spent: string | null
  readonly inherited: string | null
  readonly archived: number
  readonly deleted: number
  readonly running: number
  readonly seeding: number
}

// Spelled out: a tree has thousands of them, and to take the rest of a row apart makes one more copy of each.
const toSession = (row: SessionRow): Session => ({
  id: row.id,
  parentID: row.parentID,
  forkPoint: row.forkPoint,
  forkSeedID: row.forkSeedID,
  title: row.title,
  agent: row.agent,
  model: row.model,
  directory: row.directory,
  sandbox: row.sandbox,
  workspaceID: row.workspaceID,
  kind: row.kind,
  state: row.running ? 'running' : row.seeding ? 'seeding' : 'idle',
  labels: JSON.parse(row.labels),
  archived: row.archived === 1,
  deleted: row.deleted === 1,
  messages: row.messages,
  nativeID: row.nativeID,
  cost: { own: usageFrom(row.spent), inherited: usageFrom(row.inherited) },
  created: row.created,
  updated: row.updated,
})

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
