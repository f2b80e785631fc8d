import { isAbsolute, relative, sep } from 'node:path'
import { fromText, type GitPlace } from '../git.ts'
import { ignoredAmong, isRules } from '../gitignore.ts'
import type { Project } from '../project.ts'
import { beyondLinks, eachOf, look } from '../raw-path.ts'
import type { Note } from './capture-note.ts'
import { entryIn, readDirectories } from './changed-tree.ts'
import { few, type ReadFiles, readFiles, writeTree } from './few-changes.ts'

/** What is known to have happened to the files since a capture, because nothing but file tools ran. */
export interface Touched {
  /** The tree that this capture gave. */
  readonly since: string
  /** What was written or deleted since then: absolute paths. */
  readonly paths: readonly string[]
}

/**
 * Captures by looking at the touched files only; null where a scan might find something else: then it has to be done.
 * `note` is about the last capture, and the rules for ignoring files are as they were then.
 */
export async function captureTouched(
  place: GitPlace,
  { root }: Project,
  note: Note,
  touched: Touched,
  largest: number,
): Promise<Note | null> {
  const paths = pathsBelow(root, touched.paths)
  if (note.tree !== touched.since || !paths || !(await isCertain(root, note, paths))) return null
  if (paths.length === 0) return note
  const asked = readDirectories(place, note.tree, paths)
  const read = readFiles(root, paths, note.tree, Math.min(few.bytes, largest))
  const directories = await asked
  if (!directories || !read) return null
  // A directory was replaced or deleted, or a submodule: then more has changed than its path.
  const known = paths.filter((path) => entryIn(directories, path) !== null)
  if (known.some((path) => /^(40000|160000)$/.test(entryIn(directories, path)?.mode ?? ''))) return null
  const isKnown = new Set(known)
  const unknown = paths.filter((path) => !isKnown.has(path))
  const ignored = new Set(await ignoredAmong(place, unknown))
  if (await isAnyKnown(place, note.indexTree, [...ignored])) return null
  const tree = writeTree(place, note.tree, directories, without(read, ignored))
  return { ...note, tree, differsBy: 'touched', differing: [...new Set([...note.differing, ...paths])] }
}

// One that the person's git tracks though it is ignored, and that was deleted for a while.
async function isAnyKnown(place: GitPlace, tree: string, paths: readonly string[]): Promise<boolean> {
  if (paths.length === 0) return false
  const directories = await readDirectories(place, tree, paths)
  return !directories || paths.some((path) => entryIn(directories, path) !== null)
}

function pathsBelow(root: string, touched: readonly string[]): readonly string[] | null {
  const paths: string[] = []
  for (const each of new Set(touched)) {
    const path = relative(root, each)
    if (!isAbsolute(each) || path === '' || path === '..' || path.startsWith(`..${sep}`)) return null
    paths.push(fromText(path))
  }
  return paths.length <= few.files ? paths : null
}

async function isCertain(root: string, note: Note, paths: readonly string[]): Promise<boolean> {
  // These may be otherwise by now, whatever was touched.
  if (note.missing.some(({ why }) => why === 'changing' || why === 'unreadable')) return false
  const absent = new Set(note.absent)
  const missing = note.missing.map(({ path }) => fromText(path))
  const isSpecial = (path: string) =>
    isRules(path) ||
    absent.has(path) ||
    path.split('/').some((name) => name.toLowerCase() === '.git') ||
    missing.some((other) => isWithin(path, other) || isWithin(other, path))
  if (paths.some(isSpecial)) return false
  const isBeyond = beyondLinks(root)
  const looks = await eachOf(paths, async (path) => (await isBeyond(path)) || isInRepository(root, path))
  return !looks.includes(true)
}

const isWithin = (path: string, other: string): boolean => `${path}/`.startsWith(`${other}/`)

// One that somebody made meanwhile, or a submodule.
async function isInRepository(root: string, path: string): Promise<boolean> {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (await look(root, `${path.slice(0, end)}/.git`)) return true
  }
  return false
}

function without({ changes, blobs }: ReadFiles, ignored: ReadonlySet<string>): ReadFiles {
  const kept = new Map([...changes].filter(([path]) => !ignored.has(path)))
  const wanted = new Set([...kept.values()].map((entry) => entry?.object))
  return { changes: kept, blobs: blobs.filter(({ id }) => wanted.has(id)) }
}
