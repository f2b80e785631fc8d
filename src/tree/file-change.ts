import type { Snapshot } from './snapshot.ts'

/** One file that differs between two states of a project. */
export interface FileChange {
  readonly path: string
  readonly change: 'added' | 'changed' | 'deleted'
}

/** How the files differ between two snapshots of one project. */
export interface FilesDiff {
  readonly from: Snapshot
  readonly to: Snapshot
  readonly changes: readonly FileChange[]
  /** As `git diff` prints it. */
  readonly patch: string
}
