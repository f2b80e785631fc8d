import type { FileChange } from './file-change.ts'
import type { ForkContext } from './fork-seed.ts'
import type { SnapshotID } from './ids.ts'
import type { Session } from './session.ts'

/** What a fork does about files. */
export const filesModes = ['auto', 'worktree', 'clean', 'same', 'restore'] as const

export type FilesMode = (typeof filesModes)[number]

/** What a background run can do about files. */
export const runFilesModes = ['same', 'worktree', 'clean'] as const

export type RunFiles = (typeof runFilesModes)[number]

/** What `auto` prefers, where it can be had. */
export const preferredFilesModes = ['auto', 'same', 'worktree', 'clean'] as const

export type PreferredFiles = (typeof preferredFilesModes)[number]

/** What it comes to in the end. */
export type FilesChoice = Exclude<FilesMode, 'auto'>

/** What a fork did, or would do, about files. */
export interface ForkFiles {
  readonly mode: FilesChoice
  /** For a person. */
  readonly why: string
  /** What is not as they may expect. */
  readonly notices: readonly string[]
  /** The files of the fork point; null where nobody looked. */
  readonly snapshotID: SnapshotID | null
  /** Where a new worktree begins; null for the same directory, and where nothing is committed. */
  readonly base: WorktreeBase | null
  /** What a restore changes in the directory. */
  readonly changes: readonly FileChange[]
  /** What it leaves as it is, although it was otherwise then. */
  readonly left: readonly Left[]
}

/** The commit that a new worktree begins at. */
export interface WorktreeBase {
  readonly commit: string
  /** The branch that had it checked out; null where none did. */
  readonly branch: string | null
  /** Whether it is checked out now: at an earlier message it is the commit of that time. */
  readonly isCurrent: boolean
}

/** For a person: a commit by its first letters, and the branch that had it checked out. */
export const commitWords = ({ commit, branch }: Pick<WorktreeBase, 'commit' | 'branch'>): string =>
  branch === null ? `commit ${commit.slice(0, 8)}` : `commit ${commit.slice(0, 8)} of ${branch}`

/** A file that a restore leaves alone, and why. */
export interface Left {
  readonly path: string
  readonly why: string
}

/** What a fork would do. */
export interface ForkPreview {
  readonly files: ForkFiles
  readonly context: ForkContext
}

/** A new fork, what became of its files, and how it gets the conversation before it. */
export interface Forked extends Session, ForkPreview {}
