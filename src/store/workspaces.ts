import type { WorkspaceID } from '../tree/ids.ts'
import type { ProcessIdentity } from '../tree/owner.ts'
import type { Workspace } from '../tree/workspace.ts'
import type { Queries } from './engine.ts'

export interface WorkspaceReader {
  get(id: WorkspaceID): Promise<Workspace | null>
  all(): Promise<readonly Workspace[]>
  /** Those that somebody makes or removes now, or did when their process died. */
  underWay(): Promise<readonly Workspace[]>
}

export interface WorkspaceTable extends WorkspaceReader {
  insert(workspace: Workspace): Promise<void>
  /** Moves it from one state to the next; false when it is not in that state any more. */
  move(
    id: WorkspaceID,
    from: Workspace['state'],
    to: Workspace['state'],
    process: ProcessIdentity,
  ): Promise<boolean>
  remove(id: WorkspaceID): Promise<void>
}

const columns = `id, project_id AS "projectID", repository, origin, path, branch, commit_id AS "commit", state,
  pid, started, machine, created`

export const workspaceTable = (db: Queries): WorkspaceTable => ({
  async get(id) {
    const row = await db.get<WorkspaceRow>(`SELECT ${columns} FROM workspaces WHERE id = :id`, { id })
    return row ? toWorkspace(row) : null
  },

  async all() {
    return (await db.all<WorkspaceRow>(`SELECT ${columns} FROM workspaces ORDER BY id`)).map(toWorkspace)
  },

  async underWay() {
    const rows = await db.all<WorkspaceRow>(
      `SELECT ${columns} FROM workspaces WHERE state IN ('making', 'removing') ORDER BY id`,
    )
    return rows.map(toWorkspace)
  },

  async insert({ process, ...workspace }) {
    await db.run(
      `INSERT INTO workspaces (id, project_id, repository, origin, path, branch, commit_id, state,
                               pid, started, machine, created)
       VALUES (:id, :projectID, :repository, :origin, :path, :branch, :commit, :state,
               :pid, :started, :machine, :created)`,
      { ...workspace, ...process },
    )
  },

  async move(id, from, to, process) {
    const moved = await db.run(
      `UPDATE workspaces SET state = :to, pid = :pid, started = :started, machine = :machine
        WHERE id = :id AND state = :from`,
      { id, from, to, ...process },
    )
    return moved > 0
  },

  async remove(id) {
    await db.run('DELETE FROM workspaces WHERE id = :id', { id })
  },
})

type WorkspaceRow = Omit<Workspace, 'process'> & ProcessIdentity

const toWorkspace = ({ pid, started, machine, ...row }: WorkspaceRow): Workspace => ({
  ...row,
  process: { pid, started, machine },
})
