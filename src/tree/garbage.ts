/** What cleaning up did, or would do. */
export interface Garbage {
  readonly items: readonly GarbageItem[]
  /** Bytes on disk; of a dry run, at least so many. */
  readonly freed: number
}

export interface GarbageItem {
  readonly kind: 'worktree' | 'branch' | 'snapshots' | 'draft' | 'import'
  /** Which: a path, a branch, a project, a session. */
  readonly what: string
  readonly bytes: number
  /** Whether it goes; otherwise `why` says what keeps it. */
  readonly goes: boolean
  readonly why: string
}
