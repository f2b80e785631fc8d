import { rm } from 'node:fs/promises'
import type { Missing } from '../../tree/snapshot.ts'
import { type GitPlace, git, records, startScript, toText, tryGit } from '../git.ts'
import { joined } from '../raw-path.ts'
import { toEntries } from '../restore/hash-files.ts'
import { markDirectories, readElsewhere, readInDoubt } from './swapped-directories.ts'

/** How often a file that changes while it is read is tried. */
const tries = 3

export interface IndexChanges {
  /** To hash, or to remove where there is nothing. */
  readonly wanted: readonly string[]
  /** To take out first, whatever is there. */
  readonly gone: readonly string[]
  /** The index is to be written also when nothing changes. */
  readonly renew: boolean
  /** Objects that the person's git never fetched are no damage. */
  readonly isPartial: boolean
}

/** Hashes files into an index and gives its tree. Those that cannot be read are named. */
export async function throughIndex(
  place: GitPlace,
  { wanted, gone, renew, isPartial }: IndexChanges,
): Promise<{ readonly tree: string; readonly failed: readonly Missing[] }> {
  if (gone.length > 0) await forget(place, gone)
  const writing = writingTree(isPartial)
  if (wanted.length === 0 && !renew) return { tree: await writeTree(place, writing), failed: [] }
  const script = `git ${adding(renew).join(' ')}; git ${writing.join(' ')}`
  const before = markDirectories(place.cwd, wanted)
  const { code, stdout } = await startScript(place, script)(joined(wanted))
  const failed = code === 0 ? [] : await addReadable(place, wanted)
  const elsewhere = await forgetElsewhere(place, readInDoubt(place.cwd, before, wanted))
  if (code === 0 && elsewhere.length === 0) return { tree: stdout.trim(), failed: [] }
  const changing = elsewhere.map((path) => ({ path: toText(path), why: 'changing' as const }))
  return { tree: await writeTree(place, writing), failed: [...failed, ...changing] }
}

async function forgetElsewhere(place: GitPlace, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return []
  const entries = toEntries(await git(place, ['ls-files', '-z', '--stage']))
  const elsewhere = readElsewhere(place.cwd, paths, entries)
  if (elsewhere.length > 0) await forget(place, elsewhere)
  return elsewhere
}

/** The tree of an index as it is; null where it has none. */
export async function treeOf(place: GitPlace, isPartial: boolean): Promise<string | null> {
  const { code, stdout } = await tryGit(place, writingTree(isPartial))
  return code === 0 ? stdout.trim() : null
}

const writingTree = (isPartial: boolean): readonly string[] => [
  'write-tree',
  ...(isPartial ? ['--missing-ok'] : []),
]

/** Takes paths out of an index, whatever is there now. */
export async function forget(place: GitPlace, paths: readonly string[]): Promise<void> {
  await git(place, ['update-index', '-z', '--force-remove', '--stdin'], { input: joined(paths) })
}

// Files as old as the index itself are read again every time, and those of a fresh checkout all are: so that one is
// made newer, changed or not.
const adding = (renew: boolean): readonly string[] => [
  ...['update-index', '-z', '--add', '--remove', '--replace'],
  ...(renew ? ['--force-write-index'] : []),
  '--stdin',
]

// What can be read, by halves: the ones that cannot are named.
async function addReadable(place: GitPlace, paths: readonly string[]): Promise<readonly Missing[]> {
  const [only] = paths
  if (only === undefined) return []
  let stderr = ''
  for (let left = paths.length === 1 ? tries : 1; left > 0; left--) {
    // A file that shrinks while git reads it can kill git, and then its lock stays.
    await rm(`${place.env.GIT_INDEX_FILE}.lock`, { force: true })
    const end = await tryGit(place, adding(false), { input: joined(paths) })
    if (end.code === 0) return []
    stderr = end.stderr
  }
  await rm(`${place.env.GIT_INDEX_FILE}.lock`, { force: true })
  if (paths.length === 1) {
    return [{ path: toText(only), why: /permission denied/i.test(stderr) ? 'unreadable' : 'changing' }]
  }
  const middle = Math.ceil(paths.length / 2)
  return [
    ...(await addReadable(place, paths.slice(0, middle))),
    ...(await addReadable(place, paths.slice(middle))),
  ]
}

// A conflict whose file could not be added stands in the way of a tree; its file is named already.
async function writeTree(place: GitPlace, writing: readonly string[]): Promise<string> {
  const { code, stdout } = await tryGit(place, writing)
  if (code === 0) return stdout.trim()
  const unmerged = records(await git(place, ['ls-files', '-z', '--unmerged']))
  if (unmerged.length > 0)
    await forget(place, [...new Set(unmerged.map((record) => record.replace(/^.*?\t/s, '')))])
  return (await git(place, writing)).trim()
}
