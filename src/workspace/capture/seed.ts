import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { type GitPlace, git, lookingThrough, records } from '../git.ts'
import type { Repository } from '../project.ts'
import { fullPath, joined, lookAll } from '../raw-path.ts'
import { configHome } from '../shadow/files-of-git.ts'
import { lacking } from '../shadow/objects.ts'
import type { Settings } from '../shadow/settings.ts'
import { type IndexEntry, type IndexFile, isRegular, readIndex } from './index-file.ts'

// An index copied from the project believes what git believed there. Some of its beliefs do not hold for a snapshot:
// that files somebody told git not to look at are unchanged; that a file it converts (line ends, filters) has the bytes
// of its blob; that it is about the sparse part only; and that what was never fetched can be.

export interface Seed extends IndexFile {
  /** It did not look at some files until now. */
  readonly wasBlind: boolean
}

/**
 * Reads an index that was copied from the project's own, and makes it look at every file that is there. Before it is
 * changed, `unused` waits until nobody else works with it.
 */
export async function readSeed(place: GitPlace, root: string, unused: () => Promise<unknown>): Promise<Seed> {
  const seed = await readIndex(place)
  const assumed = seed.entries.filter(({ isAssumed }) => isAssumed).map(({ path }) => path)
  const leftOut = seed.entries.filter(({ isLeftOut }) => isLeftOut).map(({ path }) => path)
  // What a sparse checkout left out stays as it is; what is there all the same is looked at like any other file.
  const found = await lookAll(root, leftOut)
  const present = leftOut.filter((_, i) => found[i])
  const lift = (flag: string, paths: readonly string[]) =>
    paths.length > 0 && git(place, ['update-index', '-z', flag, '--stdin'], { input: joined(paths) })
  const wasBlind = assumed.length + present.length > 0
  if (wasBlind) await unused()
  await lift('--no-assume-unchanged', assumed)
  await lift('--no-skip-worktree', present)
  return { ...seed, wasBlind }
}

/**
 * Files whose bytes are not, or may not be, those that the copied index names: to be taken out of it and hashed anew. As
 * long as they are known with the times of their files, git does not look into them.
 */
export async function convertedPaths(
  place: GitPlace,
  root: string,
  repository: Repository,
  settings: Settings,
  entries: readonly IndexEntry[],
): Promise<readonly string[]> {
  const files = entries.filter((entry) => isRegular(entry) && !entry.isLeftOut)
  const [converted, lost] = await Promise.all([
    isAnyConverted(root, repository, settings, entries)
      ? byAttributes(place, root, repository, settings, files)
      : [],
    settings.isPartial ? neverFetched(place, files) : [],
  ])
  return [...new Set([...converted, ...lost])]
}

async function neverFetched(place: GitPlace, files: readonly IndexEntry[]): Promise<readonly string[]> {
  const lost = new Set(await lacking(place, [...new Set(files.map((file) => file.object()))]))
  return files.filter((file) => lost.has(file.object())).map(({ path }) => path)
}

async function byAttributes(
  place: GitPlace,
  root: string,
  repository: Repository,
  { convertsAll }: Settings,
  files: readonly IndexEntry[],
): Promise<readonly string[]> {
  const names = ['text', 'crlf', 'eol', 'filter', 'ident', 'working-tree-encoding']
  const input = joined(files.map(({ path }) => path))
  const there = { cwd: root, env: { GIT_DIR: repository.gitDir, GIT_WORK_TREE: root } }
  const answers = records(
    await git(there, ['check-attr', '-z', '--stdin', ...names], { input, ...lookingThrough }),
  )
  const filtered = new Set<string>()
  const text = new Set<string>()
  for (let i = 0; i + 2 < answers.length; i += 3) {
    const [path = '', name = '', value = ''] = answers.slice(i, i + 3)
    if (value === 'unspecified' || value === 'unset') continue
    if (name === 'text' || name === 'crlf' || name === 'eol') text.add(path)
    else filtered.add(path)
  }
  const doubtful = files.filter(({ path }) => !filtered.has(path) && (convertsAll || text.has(path)))
  return [...filtered, ...(await resizedPaths(place, root, doubtful))]
}

// Only line ends differ in these: then the sizes differ too, and comparing sizes costs no reading.
async function resizedPaths(
  place: GitPlace,
  root: string,
  entries: readonly IndexEntry[],
): Promise<readonly string[]> {
  if (entries.length === 0) return []
  const input = entries.map((entry) => `${entry.object()}\n`).join('')
  const sizes = (await git(place, ['cat-file', '--batch-check=%(objectsize)'], { input })).split('\n')
  const paths = entries.map(({ path }) => path)
  const found = await lookAll(root, paths)
  return paths.filter((_, i) => found[i]?.size !== Number(sizes[i]))
}

// git reads attributes in every directory on the way to a file, also from a list that it does not track or that is
// ignored.
function isAnyConverted(
  root: string,
  { commonDir }: Repository,
  settings: Settings,
  entries: readonly IndexEntry[],
): boolean {
  if (settings.convertsAll || settings.namesAttributes) return true
  const directories = new Set([''])
  for (const { path } of entries) {
    if (isList(path)) return true
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const directory = path.slice(0, end + 1)
      if (directories.has(directory)) break
      directories.add(directory)
    }
  }
  const elsewhere = [join(commonDir, 'info', 'attributes'), join(configHome(), 'git', 'attributes')]
  return (
    elsewhere.some(isThere) ||
    [...directories].some((directory) => isThere(fullPath(root, `${directory}.gitattributes`)))
  )
}

const isList = (path: string): boolean => path === '.gitattributes' || path.endsWith('/.gitattributes')

// At once: one takes 3 µs, waiting for it 40.
function isThere(path: string | Buffer): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // A file stands where its directory was.
    return false
  }
}
