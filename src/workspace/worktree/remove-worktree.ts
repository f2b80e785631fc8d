import { stat } from 'node:fs/promises'
import { BoughError } from '../../tree/error.ts'
import { isInside } from './managed-path.ts'
import { removeDirectory } from './remove-directory.ts'
import type { Worktree } from './worktree.ts'
import { removeBranchIfMerged } from './worktree-branch.ts'
import { removeEntries } from './worktree-entry.ts'

/**
 * Removes directory and entry; the branch too unless it has commits that no other ref has, or another work tree is at
 * it. Never anything outside of `managedRoot`. Whether something would be lost says `reasonToKeep`, before.
 */
export async function removeWorktree(
  managedRoot: string,
  commonDir: string,
  { path, branch }: Worktree,
): Promise<{ readonly branchKept: boolean }> {
  if (!(await isInside(managedRoot, path))) {
    throw new BoughError('worktree_failed', `${path} is not in ${managedRoot}: bough removes nothing there.`)
  }
  await removeDirectory(path)
  if (!(await stat(commonDir).catch(() => null))) return { branchKept: false }
  await removeEntries(commonDir, path)
  return { branchKept: !(await removeBranchIfMerged(commonDir, branch)) }
}
