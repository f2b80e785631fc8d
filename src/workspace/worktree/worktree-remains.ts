import { setTimeout as pause } from 'node:timers/promises'
import { BoughError } from '../../tree/error.ts'
import { processesIn } from './processes-in.ts'
import { removeDirectory } from './remove-directory.ts'
import type { Worktree } from './worktree.ts'
import { removeBranchAt } from './worktree-branch.ts'
import { removeEntries } from './worktree-entry.ts'

// A worktree is made in these steps, and its process may be killed after and within any of them:
//   directory → branch → entry → files → index
// The git that did the step may live on, and finish it. It has its working directory in the worktree.

/** How long what still runs in an unfinished worktree gets to end by itself. */
const usualPatience = 10_000

/** How often is looked whether it has. */
const step = 20

/**
 * Removes whatever there is of a worktree that was not finished: directory, entry, and the branch if it still stands
 * at the commit. May be called again and again. `commonDir` is the person's repository.
 */
export async function removeRemains(
  commonDir: string,
  worktree: Worktree,
  patience = usualPatience,
): Promise<void> {
  await removeDirectoryAndEntry(commonDir, worktree.path, patience)
  await removeBranchAt(commonDir, worktree.branch, worktree.commit)
}

/** The same, without the branch. */
export async function removeDirectoryAndEntry(
  commonDir: string,
  path: string,
  patience = usualPatience,
): Promise<void> {
  const deadline = performance.now() + patience
  do {
    await untilNobodyIsIn(path, deadline)
    await removeDirectory(path)
    await removeEntries(commonDir, path)
    // One may have come in after we looked: it is in a directory now that was deleted, and can make it anew.
  } while ((await processesIn(path)).length > 0)
}

async function untilNobodyIsIn(path: string, deadline: number): Promise<void> {
  for (;;) {
    const [first, ...more] = await processesIn(path)
    if (!first) return
    if (performance.now() > deadline) {
      const others = more.length > 0 ? ` and ${more.length} more` : ''
      throw new BoughError(
        'worktree_failed',
        `${path} cannot be removed: ${first.name} (process ${first.pid})${others} still runs there. End it, then try again.`,
      )
    }
    await pause(step)
  }
}
