import type { RestoreID } from '../tree/ids.ts'
import type { ProcessIdentity } from '../tree/owner.ts'
import type { Restore } from '../tree/restore.ts'
import type { Queries } from './engine.ts'

export interface RestoreReader {
  get(id: RestoreID): Promise<Restore | null>
  /** Those that run now, or were left half done; newest first. */
  unfinished(): Promise<readonly Restore[]>
  /** The newest at a root that stands: done, not undone, and no undoing itself. */
  lastDone(root: string): Promise<Restore | null>
  all(): Promise<readonly Restore[]>
}

export interface RestoreTable extends RestoreReader {
  insert(restore: Restore): Promise<void>
  setState(id: RestoreID, state: Restore['state'], process: ProcessIdentity): Promise<void>
  remove(id: RestoreID): Promise<void>
}

const columns = `id, project_id AS "projectID", root, before_id AS "before", target_id AS "target", paths, undoes, state,
  pid, started, machine, created`

export const restoreTable = (db: Queries): RestoreTable => ({
  async get(id) {
    const row = await db.get<RestoreRow>(`SELECT ${columns} FROM restores WHERE id = :id`, { id })
    return row ? toRestore(row) : null
  },

  async unfinished() {
    const rows = await db.all<RestoreRow>(
      `SELECT ${columns} FROM restores WHERE state IN ('running', 'half') ORDER BY id DESC`,
    )
    return rows.map(toRestore)
  },

  async lastDone(root) {
    const row = await db.get<RestoreRow>(
      `SELECT ${columns} FROM restores WHERE root = :root AND state = 'done' AND undoes IS NULL
        ORDER BY id DESC LIMIT 1`,
      { root },
    )
    return row ? toRestore(row) : null
  },

  async all() {
    return (await db.all<RestoreRow>(`SELECT ${columns} FROM restores ORDER BY id`)).map(toRestore)
  },

  async insert({ process, ...restore }) {
    await db.run(
      `INSERT INTO restores (id, project_id, root, before_id, target_id, paths, undoes, state,
                             pid, started, machine, created)
       VALUES (:id, :projectID, :root, :before, :target, :paths, :undoes, :state, :pid, :started, :machine, :created)`,
      { ...restore, paths: JSON.stringify(restore.paths), ...process },
    )
  },

  async setState(id, state, process) {
    await db.run(
      `UPDATE restores SET state = :state, pid = :pid, started = :started, machine = :machine WHERE id = :id`,
      { id, state, ...process },
    )
  },

  async remove(id) {
    await db.run('DELETE FROM restores WHERE id = :id', { id })
  },
})

type RestoreRow = Omit<Restore, 'process' | 'paths'> & ProcessIdentity & { readonly paths: string }

const toRestore = ({ pid, started, machine, paths, ...row }: RestoreRow): Restore => ({
  ...row,
  paths: JSON.parse(paths),
  process: { pid, started, machine },
})
