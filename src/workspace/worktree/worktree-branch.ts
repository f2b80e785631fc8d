import { rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { brief, type GitPlace, git, tryGit } from '../git.ts'
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
  if (tip === null) return 'gone'
  return (await otherRefWith(commonDir, branch, tip)) ? 'merged' : 'needed'
}

/** How often it is looked again when a ref has changed meanwhile, or another git has it locked. */
const mostLooks = 10

/** Deletes a branch that is merged; true when it is gone. */
export async function removeBranchIfMerged(commonDir: string, branch: string): Promise<boolean> {
  for (let looks = 1; ; looks++) {
    const tip = await tipOf(commonDir, branch)
    if (tip === null) return true
    const other = await otherRefWith(commonDir, branch, tip)
    if (!other) return false
    try {
      await removeBranch(commonDir, branch, tip, other)
      return true
    } catch (error) {
      if (looks === mostLooks) throw error
    }
  }
}

interface Ref {
  readonly name: string
  readonly object: string
  /** A branch of ours, which may go at the same moment. One that the person is at does not, and git would log that it was looked at. */
  readonly mayGo: boolean
}

/** A ref that has all commits of a branch too; null where there is none, or a work tree is at the branch. */
async function otherRefWith(commonDir: string, branch: string, tip: string): Promise<Ref | null> {
  const format = '--format=%(refname)%00%(objectname)%00%(HEAD)%00%(symref)%00%(worktreepath)'
  const args = ['for-each-ref', format, `--contains=${tip}`]
  const output = await pastHalfWritten(() => git(inCommonDir(commonDir), args))
  const others: Ref[] = []
  for (const line of output.split('\n')) {
    const [name = '', object = '', head = '', symref = '', worktree = ''] = line.split('\0')
    const isOwn = name === `refs/heads/${branch}`
    if (isOwn && worktree !== '') return null
    // What a symbolic one points to is listed too.
    if (isOwn || object === '' || symref !== '') continue
    others.push({ name, object, mayGo: name.startsWith('refs/heads/bough/') && head !== '*' })
  }
  return others.find(({ mayGo }) => !mayGo) ?? others[0] ?? null
}

async function tipOf(commonDir: string, branch: string): Promise<string | null> {
  const args = ['rev-parse', '-q', '--verify', `refs/heads/${branch}`]
  const { code, stdout } = await tryGit(inCommonDir(commonDir), args, brief)
  return code === 0 ? stdout.trim() : null
}

// Only where it was seen: somebody may commit to it meanwhile. And only as long as the ref is there that has its commits too:
// git locks both, so of two branches that have only each other one stays.
async function removeBranch(commonDir: string, branch: string, tip: string, other?: Ref): Promise<void> {
  const input = [
    ...(other?.mayGo ? [`verify ${other.name} ${other.object}`] : []),
    `delete refs/heads/${branch} ${tip}`,
    '',
  ].join('\n')
  await git(inCommonDir(commonDir), ['update-ref', '--no-deref', '--stdin'], { input, ...brief })
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
