import { rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type GitPlace, git, tryGit } from '../git.ts'
import { pastHalfWritten } from './half-written-entry.ts'

/** git in a repository, at none of its work trees. */
export const inCommonDir = (commonDir: string): GitPlace => ({ cwd: commonDir, env: { GIT_DIR: commonDir } })

/** Deletes a branch that still stands where it began, and what a git that was killed has left of making one. */
export async function removeBranchAt(commonDir: string, branch: string, commit: string): Promise<void> {
  if (!(await stat(commonDir).catch(() => null))) return
  const [ref, log] = [
    join(commonDir, 'refs', 'heads', branch),
    join(commonDir, 'logs', 'refs', 'heads', branch),
  ]
  // Nobody but us writes a branch of this name, and we are not at it any more.
  await rm(`${ref}.lock`, { force: true }).catch(ignoreOtherKind)
  const tip = await tipOf(commonDir, branch)
  if (tip !== null && tip !== commit) return
  if (tip !== null) await removeBranch(commonDir, branch, tip)
  // git writes the log first, and the directories before that.
  await rm(log, { force: true }).catch(ignoreOtherKind)
  for (const [path, top] of [
    [ref, 'refs'],
    [log, join('logs', 'refs')],
  ] as const) {
    await removeEmpty(dirname(path), join(commonDir, top, 'heads'))
  }
}

/** A branch is `merged` when all its commits are on other refs too, and no work tree is at it. */
export type BranchState = 'gone' | 'merged' | 'needed'

export async function branchState(commonDir: string, branch: string): Promise<BranchState> {
  if (!(await stat(commonDir).catch(() => null))) return 'gone'
  const tip = await tipOf(commonDir, branch)
  return tip === null ? 'gone' : stateAt(commonDir, branch, tip)
}

/** Deletes a branch that is merged; true when it is gone. */
export async function removeBranchIfMerged(commonDir: string, branch: string): Promise<boolean> {
  const tip = await tipOf(commonDir, branch)
  if (tip === null) return true
  if ((await stateAt(commonDir, branch, tip)) === 'needed') return false
  await removeBranch(commonDir, branch, tip)
  return true
}

async function stateAt(commonDir: string, branch: string, tip: string): Promise<BranchState> {
  const args = ['for-each-ref', '--format=%(refname)%00%(worktreepath)', `--contains=${tip}`]
  const output = await pastHalfWritten(() => git(inCommonDir(commonDir), args))
  const refs = output.split('\n').filter((line) => line !== '')
  const own = `refs/heads/${branch}\0`
  const isUsed = refs.some((line) => line.startsWith(own) && line.length > own.length)
  return isUsed || !refs.some((line) => !line.startsWith(own)) ? 'needed' : 'merged'
}

async function tipOf(commonDir: string, branch: string): Promise<string | null> {
  const args = ['rev-parse', '-q', '--verify', `refs/heads/${branch}`]
  const { code, stdout } = await tryGit(inCommonDir(commonDir), args)
  return code === 0 ? stdout.trim() : null
}

// Only where it was seen: somebody may commit to it meanwhile.
async function removeBranch(commonDir: string, branch: string, tip: string): Promise<void> {
  await git(inCommonDir(commonDir), ['update-ref', '--no-deref', '-d', `refs/heads/${branch}`, tip])
}

async function removeEmpty(directory: string, top: string): Promise<void> {
  for (let each = directory; each.startsWith(`${top}/`); each = dirname(each)) {
    const isGone = await rmdir(each).then(
      () => true,
      () => false,
    )
    if (!isGone && (await stat(each).catch(() => null))) return
  }
}

// Where a branch has the name of our directory, there is nothing of ours below it.
function ignoreOtherKind(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOTDIR')) throw error
}
