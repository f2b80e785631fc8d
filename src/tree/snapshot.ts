import type { SnapshotID, TurnID } from './ids.ts'

/** The state of a project's files at one moment, kept in the project's shadow. */
export interface Snapshot {
  readonly id: SnapshotID
  readonly projectID: string
  /** The top of the files: a work tree, or a plain directory. */
  readonly root: string
  /** The git tree in the shadow that has them. */
  readonly tree: string
  /** The commit that was checked out then, and its branch; null without git or before the first commit. */
  readonly head: string | null
  readonly branch: string | null
  /** What could not be captured; empty for a whole snapshot. */
  readonly missing: readonly Missing[]
  /** Other turns that ran in the same files meanwhile: what they changed is in here too. */
  readonly beside: readonly TurnID[]
  /** Kept for its own sake: it holds what a restore replaced, or the work in a worktree that was removed. */
  readonly saved: boolean
  /** Cleaned up: it is still known when it was, but not what was in the files. */
  readonly freed: boolean
  readonly created: number
}

export interface Missing {
  readonly path: string
  readonly why: 'nested repository' | 'dirty submodule' | 'too large' | 'changing' | 'unreadable'
}

const named = 3

/** For a person: the first few by name. */
export function missingWords(missing: readonly Missing[]): string {
  const some = missing.slice(0, named).map(({ path, why }) => `${path} (${why})`)
  const more = missing.length > named ? ` and ${missing.length - named} more` : ''
  return some.join(', ') + more
}
