import type { FilesMode, PreferredFiles } from '../tree/files-mode.ts'
import type { ProcessIdentity } from '../tree/owner.ts'
import type { SetUpTrust } from '../turns/set-up-trust.ts'
import type { Snapshots } from '../turns/snapshots.ts'
import type { BranchOptions, BranchParts } from './branch.ts'

export interface ForkParts extends BranchParts {
  readonly snapshots: Snapshots
  readonly dataDirectory: string
  readonly process: ProcessIdentity
  /** The person's own command that makes a new worktree ready to work in. */
  readonly setUp: string | null
  readonly preferred: PreferredFiles
  /** Knows whether a script that it runs has changed. */
  openSetUpTrust(): Promise<SetUpTrust>
}

export interface ForkOptions extends BranchOptions {
  readonly files?: FilesMode
  /** Given what the set-up command prints. */
  readonly onSetUp?: (text: string) => void
  /** Gives the fork up while it is made: nothing of it stays. A restore that has begun to change files goes on to its end. */
  readonly signal?: AbortSignal
}
