import type { MessageID, SessionID, SnapshotID } from './ids.ts'
import type { Snapshot } from './snapshot.ts'

/** One file that differs between two states of a project. */
export interface FileChange {
  readonly path: string
  readonly change: 'added' | 'changed' | 'deleted'
}

/** Files to compare. */
export type FilesAt =
  /** At a message; without one those that the session has: in a worktree of its own as they are now, else as captured last. */
  | { readonly sessionID: SessionID; readonly messageID?: MessageID }
  | { readonly snapshotID: SnapshotID }
  /** As they are now. */
  | { readonly directory: string }

/** A snapshot, or the state of files that were only looked at: it has no id. */
export type FilesState = Omit<Snapshot, 'id'> & { readonly id: SnapshotID | null }

/** How the files differ between two states of one project. */
export interface FilesDiff {
  readonly from: FilesState
  readonly to: FilesState
  readonly changes: readonly FileChange[]
  /** As `git diff` prints it. */
  readonly patch: string
  /** Its bytes as base64, where they are no UTF-8: `patch` has other characters in their place. */
  readonly patchBytes?: string
}

export const filesWord = (count: number): string => (count === 1 ? '1 file' : `${count} files`)
