import { homedir } from 'node:os'
import { BoughError } from '../tree/error.ts'
import type { SnapshotID } from '../tree/ids.ts'
import type { Snapshot } from '../tree/snapshot.ts'
import { captureFiles } from './capture-files.ts'
import { findProject } from './project.ts'
import { Shadow } from './shadow.ts'

/** Files above this are named in a snapshot, not captured. */
const largestFile = 100 * 1024 * 1024

/** The files of a project at one moment; `keep` makes them stay in the shadow, under a name. */
export interface Captured
  extends Pick<Snapshot, 'projectID' | 'root' | 'tree' | 'head' | 'branch' | 'missing'> {
  keep(id: SnapshotID): Promise<void>
}

/** Captures the project that a directory belongs to. */
export async function captureProject(dataDirectory: string, directory: string): Promise<Captured> {
  const project = await findProject(directory)
  const { id: projectID, root, repository } = project
  if (!repository && (root === '/' || root === homedir())) {
    throw new BoughError(
      'snapshot_failed',
      `${root} is no project. Work in a directory below it to have its files captured.`,
    )
  }
  const shadow = await Shadow.open(dataDirectory, project)
  const { tree, missing } = await captureFiles(shadow, project, largestFile)
  const [head, branch] = [repository?.head ?? null, repository?.branch ?? null]
  return { projectID, root, tree, head, branch, missing, keep: (id) => shadow.keep(id, tree) }
}
