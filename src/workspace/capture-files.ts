import { lstat, stat } from 'node:fs/promises'
import type { Missing } from '../tree/snapshot.ts'
import { type GitPlace, git, records, startScript, toBytes, toText, tryGit } from './git.ts'
import type { Project } from './project.ts'
import { prepareSeed } from './seed.ts'
import type { Shadow } from './shadow.ts'
import { dirtySubmodules } from './submodules.ts'

/** How often a file that changes while it is read is tried. */
const tries = 3
/** A directory that takes longer to look through (somebody's home, say) is not captured at all. */
const longestScan = 30_000

export interface Files {
  /** The git tree in the shadow. */
  readonly tree: string
  readonly missing: readonly Missing[]
}

/** Hashes a project's files as they are now into its shadow. Files above `largest` bytes are named, not captured. */
export function captureFiles(shadow: Shadow, project: Project, largest: number): Promise<Files> {
  return shadow.withIndex(async (index, isNew) => {
    const place = shadow.place(index)
    if (isNew && (await shadow.seedIndex(index))) await prepareSeed(place, project)
    // Started before its paths are known: it reads the index while others look at the files.
    const addAndWrite = startScript(place, `git ${adding.join(' ')}; git write-tree`)
    const found = scan(place, shadow, project).then((paths) => sortOut(project.root, paths, largest))
    const submodules = dirtySubmodules(shadow, place, project)
    const { wanted, missing } = await found.catch(async (error) => {
      await addAndWrite('')
      throw error
    })
    const added = await addAndWrite(joined(wanted))
    const failed = added.code === 0 ? [] : await addReadable(place, wanted)
    const tree = added.code === 0 ? added.stdout : await git(place, ['write-tree'])
    return { tree: tree.trim(), missing: [...missing, ...failed, ...(await submodules)] }
  })
}

const adding = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin']

// Known files that changed or went, unknown ones that are not ignored, and ignored ones that the person's git tracks
// all the same. A nested repository ends with a slash.
async function scan(place: GitPlace, shadow: Shadow, { repository }: Project): Promise<readonly string[]> {
  const call = { timeout: longestScan }
  const changed = git(place, ['diff-files', '-z', '--name-only', '--ignore-submodules=all'], call)
  const fresh = git(place, ['ls-files', '-z', '--others', '--exclude-standard'], call)
  const own = place.env.GIT_INDEX_FILE ?? ''
  const forced =
    repository && (await isNewer(repository.index, own))
      ? tryGit(
          shadow.place(repository.index),
          ['ls-files', '-z', '--cached', '--ignored', '--exclude-standard'],
          call,
        )
      : null
  return [
    ...new Set([
      ...records(await changed),
      ...records(await fresh),
      ...records((await forced)?.stdout ?? ''),
    ]),
  ]
}

async function sortOut(
  root: string,
  found: readonly string[],
  largest: number,
): Promise<{ wanted: readonly string[]; missing: readonly Missing[] }> {
  const wanted: string[] = []
  const missing: Missing[] = []
  for (const path of found) {
    const size = path.endsWith('/') ? null : await sizeOf(root, path)
    if (path.endsWith('/')) missing.push({ path: toText(path.slice(0, -1)), why: 'nested repository' })
    else if (size !== null && size > largest) missing.push({ path: toText(path), why: 'too large' })
    else wanted.push(path)
  }
  return { wanted, missing }
}

// What can be read, by halves: the ones that cannot are named.
async function addReadable(place: GitPlace, paths: readonly string[]): Promise<readonly Missing[]> {
  const [only] = paths
  if (only === undefined) return []
  let stderr = ''
  for (let left = paths.length === 1 ? tries : 1; left > 0; left--) {
    const end = await tryGit(place, adding, { input: joined(paths) })
    if (end.code === 0) return []
    stderr = end.stderr
  }
  if (paths.length === 1) {
    return [{ path: toText(only), why: /permission denied/i.test(stderr) ? 'unreadable' : 'changing' }]
  }
  const middle = Math.ceil(paths.length / 2)
  return [
    ...(await addReadable(place, paths.slice(0, middle))),
    ...(await addReadable(place, paths.slice(middle))),
  ]
}

const joined = (paths: readonly string[]): string => paths.map((path) => `${path}\0`).join('')

async function sizeOf(root: string, path: string): Promise<number | null> {
  const found = await lstat(Buffer.concat([Buffer.from(`${root}/`), toBytes(path)])).catch(() => null)
  return found?.isFile() ? found.size : null
}

async function isNewer(file: string, than: string): Promise<boolean> {
  const [one, other] = await Promise.all([file, than].map((path) => stat(path).catch(() => null)))
  return one != null && (other == null || one.mtimeMs >= other.mtimeMs)
}
