import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BoughError } from '../tree/error.ts'
import type { Missing } from '../tree/snapshot.ts'
import { type GitPlace, git, records, startScript, toText, tryGit } from './git.ts'
import type { Project } from './project.ts'
import { beyondLinks, eachOf, joined, look as lookAt } from './raw-path.ts'
import { isNewer, scan } from './scan.ts'
import { forget, prepareSeed } from './seed.ts'
import type { Shadow } from './shadow.ts'
import { lookAtSubmodules } from './submodules.ts'

/** How often a file that changes while it is read is tried. */
const tries = 3

/** So much at once is captured, and no more. */
const most = { files: 100_000, bytes: 2 ** 31 }

export interface Files {
  /** The git tree in the shadow. */
  readonly tree: string
  readonly missing: readonly Missing[]
}

/** Hashes a project's files as they are now into its shadow. Files above `largest` bytes are named, not captured. */
export function captureFiles(shadow: Shadow, project: Project, largest: number): Promise<Files> {
  return shadow.withIndex(async (index, isNew) => {
    const place = shadow.place(index)
    const seeded = (isNew || (await isSparseAnew(project, index))) && (await shadow.seedIndex(index))
    const converted = seeded ? await prepareSeed(place, project) : []
    // Started before its paths are known: it reads the index while others look at the files.
    const addAndWrite = startScript(place, `git ${adding(seeded).join(' ')}; git write-tree`)
    const look = async () => {
      const [found, submodules] = await Promise.all([
        scan(place, shadow, project, seeded),
        lookAtSubmodules(shadow, place, project),
      ])
      const paths = [...new Set([...converted, ...found.changed])]
      return { found, submodules, sorted: await sortOut(project.root, paths, largest) }
    }
    const { found, submodules, sorted } = await look().catch(async (error) => {
      await addAndWrite('')
      throw error
    })
    const wanted = [...sorted.wanted, ...submodules.moved]
    const added = await addAndWrite(joined(wanted))
    const failed = added.code === 0 ? [] : await addReadable(place, wanted)
    const gone = [...sorted.gone, ...found.dropped]
    if (gone.length > 0 || found.rulesChanged) await forget(place, gone)
    const asAdded = added.code === 0 && gone.length === 0
    const tree = asAdded ? added.stdout : await writeTree(place)
    return {
      tree: tree.trim(),
      missing: [...sorted.missing, ...found.unreadable, ...failed, ...submodules.dirty],
    }
  })
}

// Files as old as the index itself are read again every time, and those of a fresh checkout all are: so that one is
// made newer, changed or not.
const adding = (renew: boolean): readonly string[] => [
  ...['update-index', '-z', '--add', '--remove', '--replace'],
  ...(renew ? ['--force-write-index'] : []),
  '--stdin',
]

// What a sparse checkout leaves out is only known to the person's own index: when that changed, ours starts again.
async function isSparseAnew({ repository }: Project, own: string): Promise<boolean> {
  if (!repository || !(await isNewer(repository.index, own))) return false
  return isNewer(join(repository.gitDir, 'info', 'sparse-checkout'), '')
}

// Gone is a file whose path git would not take any more: a directory stands there now, or it lies beyond a link.
async function sortOut(
  root: string,
  found: readonly string[],
  largest: number,
): Promise<{ wanted: readonly string[]; gone: readonly string[]; missing: readonly Missing[] }> {
  const wanted: string[] = []
  const gone: string[] = []
  const missing: Missing[] = []
  const isBeyond = beyondLinks(root)
  const looks = await eachOf(found, async (path) => ({
    there: await lookAt(root, path),
    repository: (await lookAt(root, `${path}/.git`)) !== null,
    beyond: await isBeyond(path),
  }))
  let bytes = 0
  for (const [i, path] of found.entries()) {
    const { there, repository, beyond } = looks[i] ?? {}
    if (path.endsWith('/')) missing.push({ path: toText(path.slice(0, -1)), why: 'nested repository' })
    else if (beyond || there?.isDirectory()) {
      gone.push(path)
      if (repository) missing.push({ path: toText(path), why: 'nested repository' })
    } else if (there?.isFile() && there.size > largest) missing.push({ path: toText(path), why: 'too large' })
    else {
      wanted.push(path)
      bytes += there?.size ?? 0
    }
  }
  mustBeBearable(root, wanted.length, bytes)
  return { wanted, gone, missing: missing.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }
}

// Somebody's whole home, or a data set that nobody ignored: a copy of it is not what they want.
function mustBeBearable(root: string, files: number, bytes: number): void {
  if (files <= most.files && bytes <= most.bytes) return
  const size = `${files.toLocaleString('en')} new files, ${Math.ceil(bytes / 2 ** 20).toLocaleString('en')} MB`
  throw new BoughError(
    'snapshot_failed',
    `There is too much to capture in ${root}: ${size}. Ignore what is not yours in .gitignore.`,
  )
}

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
async function writeTree(place: GitPlace): Promise<string> {
  const { code, stdout } = await tryGit(place, ['write-tree'])
  if (code === 0) return stdout
  const unmerged = records(await git(place, ['ls-files', '-z', '--unmerged']))
  if (unmerged.length > 0)
    await forget(place, [...new Set(unmerged.map((record) => record.replace(/^.*?\t/s, '')))])
  return git(place, ['write-tree'])
}
