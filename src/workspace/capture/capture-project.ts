import { homedir } from 'node:os'
import { BoughError } from '../../tree/error.ts'
import type { Snapshot } from '../../tree/snapshot.ts'
import { findProject, type Project } from '../project.ts'
import type { Shadow } from '../shadow/shadow.ts'
import { withShadow } from '../shadow/with-shadow.ts'
import { captureFiles } from './capture-files.ts'
import type { Touched } from './capture-touched.ts'

/** Files above this are named in a snapshot, not captured. */
export const largestFile = 100 * 1024 * 1024

/** The files of a project at one moment. */
export interface Captured
  extends Pick<Snapshot, 'projectID' | 'root' | 'tree' | 'head' | 'branch' | 'missing'> {
  readonly project: Project
  readonly shadow: Shadow
}

/**
 * Captures the project that a directory belongs to. What is not kept when the work is done may go at any time. `touched`
 * are the only files that can have changed since the last time.
 */
export async function withCapture<T>(
  dataDirectory: string,
  directory: string,
  work: (captured: Captured) => Promise<T>,
  touched: Touched | null = null,
): Promise<T> {
  const project = await findProject(directory)
  const { id: projectID, root, repository } = project
  if (!repository && (root === '/' || root === homedir())) {
    throw new BoughError(
      'snapshot_failed',
      `${root} is no project. Work in a directory below it to have its files captured.`,
    )
  }
  return withShadow(dataDirectory, project, async (shadow) => {
    const { tree, missing } = await captureFiles(shadow, project, largestFile, touched ?? undefined)
    const [head, branch] = [repository?.head ?? null, repository?.branch ?? null]
    return work({ projectID, root, tree, head, branch, missing, project, shadow })
  })
}
