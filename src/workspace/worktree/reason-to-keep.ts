import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readTextIfThere } from '../../read-regular-file.ts'
import { git, tryGit } from '../git.ts'
import { atGitDir, readHead } from '../project.ts'
import { isInside } from './managed-path.ts'
import { processesIn } from './processes-in.ts'
import type { Worktree } from './worktree.ts'
import { inCommonDir } from './worktree-branch.ts'
import { entriesFor, entryOf } from './worktree-entry.ts'

/**
 * Why removing a finished worktree would lose something that a snapshot of its files does not hold, in words that
 * follow "it stays:"; null when it would not.
 */
export async function reasonToKeep(
  managedRoot: string,
  commonDir: string,
  { path }: Worktree,
): Promise<string | null> {
  if (!(await isInside(managedRoot, path))) return `${path} is not in ${managedRoot}`
  if (!(await stat(commonDir).catch(() => null))) return `its repository ${commonDir} is gone`
  const isThere = (await lstat(path).catch(() => null)) !== null
  const entries = await entriesFor(commonDir, path)
  const [entry] = entries
  if (isThere && (entry === undefined || !(await isSame(await entryOf(path), entry)))) {
    return `${path} is not the worktree that bough made there`
  }
  return (entry === undefined ? null : await reasonInEntry(commonDir, entry)) ?? (await reasonInUse(path))
}

const isSame = async (one: string | null, other: string): Promise<boolean> =>
  one !== null && (await realpath(one).catch(() => one)) === (await realpath(other))

/** What git leaves in an entry while something is under way. */
const underWay: Readonly<Record<string, string>> = {
  'rebase-merge': 'a rebase is in progress there',
  'rebase-apply': 'a rebase is in progress there',
  MERGE_HEAD: 'a merge is in progress there',
  CHERRY_PICK_HEAD: 'a cherry-pick is in progress there',
  REVERT_HEAD: 'a revert is in progress there',
  sequencer: 'a cherry-pick or revert is in progress there',
  BISECT_LOG: 'a bisect is in progress there',
  modules: 'submodules were checked out there, and their commits may be nowhere else',
}

async function reasonInEntry(commonDir: string, entry: string): Promise<string | null> {
  const lock = readTextIfThere(join(entry, 'locked'))
  if (lock !== null) return `it is locked (git worktree unlock)${lock.trim() && `: ${lock.trim()}`}`
  const names = new Set(await readdir(entry))
  for (const [name, words] of Object.entries(underWay)) if (names.has(name)) return words
  const own = await tryGit(atGitDir(entry), ['for-each-ref', '--count=1', 'refs/worktree'])
  if (own.stdout !== '') return 'it has refs of its own in refs/worktree'
  // One that git had only begun to write has none.
  const head = await readHead(entry, commonDir).catch(() => null)
  const commit = head?.ref === null ? head.commit : null
  return commit && /^[0-9a-f]{40,64}$/.test(commit) && !(await isOnSomeRef(commonDir, commit))
    ? `no branch has the commit ${commit.slice(0, 12)} that is checked out there`
    : null
}

async function isOnSomeRef(commonDir: string, commit: string): Promise<boolean> {
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', `--contains=${commit}`]
  return (await git(inCommonDir(commonDir), args)) !== ''
}

async function reasonInUse(path: string): Promise<string | null> {
  const [first, ...more] = await processesIn(path)
  if (!first) return null
  return `${first.name} (process ${first.pid})${more.length > 0 ? ` and ${more.length} more` : ''} runs there`
}
