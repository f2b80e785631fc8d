import { lstatSync, readlinkSync } from 'node:fs'
import { HeldDirectory, inDirectoryOf } from '../../held-directory.ts'
import { readRegularFile } from '../../read-regular-file.ts'
import { fullPath } from '../raw-path.ts'
import { directoriesOf } from '../restore/standing.ts'
import { type Entry, isSubmodule } from '../restore/tree-entries.ts'
import { toObject } from './loose-objects.ts'

// git reads files by their paths. Where a process swaps a directory for a link meanwhile, git reads what lies outside of
// the project. Renaming a directory changes its time: files below one that changed are read again, in directories that
// are held, and must be what git has read.

/** What the directories on the way to files are before git reads them. */
export type DirectoryMarks = ReadonlyMap<string, string | null>

export const markDirectories = (root: string, paths: readonly string[]): DirectoryMarks =>
  new Map([...new Set(paths.flatMap(directoriesOf))].map((path) => [path, markOf(root, path)]))

// Null for a link, and for nothing.
function markOf(root: string, path: string): string | null {
  try {
    const found = lstatSync(fullPath(root, path), { bigint: true })
    return found.isDirectory() ? `${found.dev} ${found.ino} ${found.ctimeNs}` : null
  } catch {
    return null
  }
}

/** The files whose directories may have been others while git read them. */
export function readInDoubt(
  root: string,
  before: DirectoryMarks,
  paths: readonly string[],
): readonly string[] {
  const changed = new Set(
    [...before].flatMap(([path, mark]) => (mark !== null && markOf(root, path) === mark ? [] : path)),
  )
  return changed.size === 0
    ? []
    : paths.filter((path) => directoriesOf(path).some((each) => changed.has(each)))
}

/** Those of them that the project has not, or not so, by what git has read. */
export function readElsewhere(
  root: string,
  paths: readonly string[],
  read: ReadonlyMap<string, Entry>,
): readonly string[] {
  using held = HeldDirectory.hold(root)
  return paths.filter((path) => {
    const entry = read.get(path)
    // Of a submodule git reads its commit, which is no file.
    if (!entry || isSubmodule(entry)) return false
    const content = inDirectoryOf(held, path, contentAt)
    return content === null || toObject('blob', content, entry.object).id !== entry.object
  })
}

function contentAt(directory: HeldDirectory, name: string): Buffer | null {
  try {
    return lstatSync(directory.at(name)).isSymbolicLink()
      ? readlinkSync(directory.at(name), 'buffer')
      : readRegularFile(directory.at(name), Number.MAX_SAFE_INTEGER)
  } catch {
    return null
  }
}
