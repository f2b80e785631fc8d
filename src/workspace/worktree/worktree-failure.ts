import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BoughError, messageOf } from '../../tree/error.ts'
import { GitError } from '../git.ts'
import type { Project, Repository } from '../project.ts'
import { lacking } from '../shadow/objects.ts'
import { halfWritten } from './half-written-entry.ts'
import type { Worktree } from './worktree.ts'
import { inCommonDir } from './worktree-branch.ts'

/** With less than this many megabytes, a failure to write is for want of space. */
const scarce = 100

/** Whether git made nothing because there is a branch of that name; that one is not ours to remove. */
export const isTaken = (error: unknown): boolean =>
  error instanceof GitError && /a branch named .* already exists/.test(error.stderr)

/** Why a worktree could not be made, and what to do. */
export async function worktreeFailure(
  cause: unknown,
  project: Project,
  repository: Repository,
  worktree: Worktree,
): Promise<BoughError> {
  if (cause instanceof BoughError) return cause
  const words = await wordsFor(cause, project, repository, worktree)
  return new BoughError('worktree_failed', words, { cause })
}

async function wordsFor(
  cause: unknown,
  { root }: Project,
  { head, commonDir }: Repository,
  { path, branch, commit }: Worktree,
): Promise<string> {
  const reason = reasonOf(cause)
  if (isTaken(cause)) return `There is a branch ${branch} already. Choose another name.`
  const inTheWay = /'refs\/heads\/([^']*)' exists/.exec(reason)?.[1]
  if (inTheWay !== undefined) {
    return `The branch ${inTheWay} stands in the way of ${branch}. Rename it: git branch -m ${inTheWay} <new name>.`
  }
  const entry = halfWritten(cause)
  if (entry !== undefined) {
    return `git was cut off while it made the worktree of ${entry}. Remove that directory, then fork again.`
  }
  // git does not always say why it could not write.
  const free = await freeMegabytes(dirname(path))
  if (
    free < scarce &&
    /unable to (write|create)|could not (write|create)|No space left|ENOSPC|quota/i.test(reason)
  ) {
    return `The disk is full: ${Math.floor(free)} MB are free for ${path}. Make room, then fork again.`
  }
  const isThere = commit !== '' && (await lacking(inCommonDir(commonDir), [commit])).length === 0
  if (isThere) return `The worktree could not be made: ${reason}.`
  return head === null
    ? `Nothing is committed yet in ${root}, and a worktree begins at a commit. Commit something, then fork again.`
    : `The commit ${commit.slice(0, 12)} is not in ${commonDir} any more. Fork from another message.`
}

async function freeMegabytes(directory: string): Promise<number> {
  const found = await statfs(directory).catch(() => null)
  return found ? (found.bavail * found.bsize) / 2 ** 20 : Number.POSITIVE_INFINITY
}

/** What git or the system said, in one line. */
export function reasonOf(cause: unknown): string {
  const text = cause instanceof GitError ? cause.stderr : messageOf(cause)
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('Preparing worktree'))
  return lines
    .join(' ')
    .replace(/^(fatal|error): /, '')
    .replace(/\.$/, '')
}
