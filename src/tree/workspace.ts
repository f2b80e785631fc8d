import type { SnapshotID, WorkspaceID } from './ids.ts'
import type { ProcessIdentity } from './owner.ts'
import { plainLine } from './plain-text.ts'

/**
 * A worktree that a fork made, in bough's data; its branch and its entry are in the person's repository.
 *
 *   making ──▶ ready ──▶ removing ──▶ removed
 *
 * What a dead process left in `making` is taken back, what it left in `removing` is finished. A removed one is
 * remembered as long as a session names it, or its branch stays because that has commits of its own.
 */
export interface Workspace {
  readonly id: WorkspaceID
  readonly projectID: string
  /** The git directory of the person's repository. */
  readonly repository: string
  /** The work tree of that repository that was forked. */
  readonly origin: string
  readonly path: string
  readonly branch: string
  /** Where its branch began. */
  readonly commit: string
  readonly state: 'making' | 'ready' | 'removing' | 'removed'
  /** Who makes or removes it. */
  readonly process: ProcessIdentity
  readonly created: number
}

/** What became of the worktree of a session that was deleted, or of one that nobody needs. */
export interface WorkspaceEnd {
  readonly path: string
  readonly branch: string
  readonly removed: boolean
  /** Why it stays; null when it does not. */
  readonly kept: string | null
  /** The branch stays: it has commits that are nowhere else. */
  readonly branchKept: boolean
  /** Where its uncommitted work is; null when it had none. */
  readonly saved: SnapshotID | null
  /** What git ignores there goes with it, and no snapshot has it: files, and whole directories with a slash. */
  readonly ignored: readonly string[]
}

/** For a person: what goes though it is saved nowhere; empty where nothing does. */
export function ignoredWords({ ignored }: Pick<WorkspaceEnd, 'ignored'>): string {
  if (ignored.length === 0) return ''
  const named = ignored.slice(0, mostNamed).map(plainLine)
  const more = ignored.length - named.length
  return `what git ignores in it goes too: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const mostNamed = 5

/** A directory that sessions work in. */
export interface WorkspaceUse {
  readonly directory: string
  /** The worktree that a fork made; null for a project itself. */
  readonly workspaceID: WorkspaceID | null
  /** Of that worktree. */
  readonly branch: string | null
  /** How many sessions work in it. */
  readonly sessions: number
  /** When the newest of them was last changed. */
  readonly updated: number
}
