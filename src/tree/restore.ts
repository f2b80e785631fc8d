import type { FileChange } from './file-change.ts'
import type { Left } from './files-mode.ts'
import type { RestoreID, SnapshotID } from './ids.ts'
import type { ProcessIdentity } from './owner.ts'

/**
 * Files that were put back in place.
 *
 *   running ──▶ done ──▶ undone
 *      └──▶ half ──▶ running, to its end or back
 *
 * One that a dead process left `running` is half done too: it can be finished or undone. Undoing is a restore itself.
 */
export interface Restore {
  readonly id: RestoreID
  readonly projectID: string
  readonly root: string
  /** The files as they were before: what undoing puts back. */
  readonly before: SnapshotID
  readonly target: SnapshotID
  /** What it changes, and nothing else: as git names them, one byte in each character. */
  readonly paths: readonly string[]
  /** The one that this takes back. */
  readonly undoes: RestoreID | null
  readonly state: 'running' | 'half' | 'done' | 'undone'
  readonly process: ProcessIdentity
  readonly created: number
}

/** What putting files back did, or would do. */
export interface Restored {
  readonly root: string
  readonly changes: readonly FileChange[]
  readonly left: readonly Left[]
  /** What is not as they may expect: not quite the files that were asked for, say. */
  readonly notices?: readonly string[]
  /** The files that this replaced; null when it was only a look. */
  readonly before: SnapshotID | null
}
