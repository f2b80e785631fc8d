import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BoughError } from '../../tree/error.ts'
import { git } from '../git.ts'
import type { Project, Repository } from '../project.ts'
import type { Shadow } from '../shadow/shadow.ts'
import { pastHalfWritten } from './half-written-entry.ts'
import { countUncommitted } from './uncommitted.ts'
import { removeBranchAt } from './worktree-branch.ts'
import { entryOf } from './worktree-entry.ts'
import { isTaken, reasonOf, worktreeFailure } from './worktree-failure.ts'
import { fillFromCommit, fillFromSnapshot } from './worktree-files.ts'
import { removeDirectoryAndEntry } from './worktree-remains.ts'
import { mustBeWritable } from './writable-repository.ts'

/** A work tree of the person's repository that bough made: one directory, one entry, one branch. */
export interface Worktree {
  readonly path: string
  /** Without refs/heads: `bough/x`. */
  readonly branch: string
  /** Where the branch begins. */
  readonly commit: string
}

/**
 * Makes the worktree; `tree` is what its files shall be (a tree in the shadow), null for the commit's own files. When
 * it fails it removes what it made. A process that is killed meanwhile leaves what `removeRemains` removes: all that
 * runs here has its working directory in the worktree, and so is found by it.
 */
export async function makeWorktree(
  shadow: Shadow,
  project: Project,
  worktree: Worktree,
  tree: string | null,
): Promise<{ readonly uncommitted: number }> {
  const { repository } = project
  if (!repository) {
    throw new BoughError('worktree_failed', `${project.root} is no git project, so it can have no worktrees.`)
  }
  await mustBeWritable(repository.commonDir, worktree.branch)
  await makeDirectory(worktree.path)
  const ends = await Promise.allSettled([
    addAndFill(shadow, project, repository, worktree, tree),
    tree === null ? 0 : countUncommitted(shadow, project, worktree.commit, tree),
  ])
  const [made, uncommitted] = ends
  if (made.status === 'fulfilled' && uncommitted.status === 'fulfilled') {
    return { uncommitted: uncommitted.value }
  }
  const cause: unknown = ends.find((end) => end.status === 'rejected')?.reason
  const failure = await worktreeFailure(cause, project, repository, worktree)
  await takeBack(repository, worktree, cause).catch((error) => {
    const words = `${failure.message} What was made of it is still there: ${reasonOf(error)}.`
    throw new BoughError('worktree_failed', words, { cause: error })
  })
  throw failure
}

async function takeBack({ commonDir }: Repository, worktree: Worktree, cause: unknown): Promise<void> {
  await removeDirectoryAndEntry(commonDir, worktree.path)
  // A branch that was there before is not ours to remove.
  if (!isTaken(cause)) await removeBranchAt(commonDir, worktree.branch, worktree.commit)
}

// Not made with its parents: what is there already is somebody's.
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await mkdir(path)
  } catch (cause) {
    const words =
      cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
        ? `There is something at ${path} already. Choose another name.`
        : `The directory ${path} cannot be made: ${reasonOf(cause)}.`
    throw new BoughError('worktree_failed', words, { cause })
  }
}

async function addAndFill(
  shadow: Shadow,
  project: Project,
  { gitDir, commonDir }: Repository,
  worktree: Worktree,
  tree: string | null,
): Promise<void> {
  const { path, branch, commit } = worktree
  // The git directory of the work tree that is forked: what it leaves out of a sparse checkout is taken over from there.
  const place = { cwd: path, env: { GIT_DIR: gitDir, GIT_WORK_TREE: path } }
  const add = [
    // Otherwise newer versions may write an extension into the person's config.
    ...['-c', 'worktree.useRelativePaths=false'],
    ...['worktree', 'add', '--no-checkout', '--no-track', '--no-guess-remote', '-b', branch, path, commit],
  ]
  // It makes the branch first; the directory and the entry it takes back itself.
  await pastHalfWritten(
    () => git(place, add),
    () => removeBranchAt(commonDir, branch, commit),
  )
  const entry = await entryOf(path)
  if (entry === null) throw new Error(`${path} has no git directory`)
  if (tree === null) await fillFromCommit(shadow, project, worktree, entry)
  else await fillFromSnapshot(shadow, project, worktree, entry, tree)
}
