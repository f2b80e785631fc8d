import type { Stats } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { fullPath } from '../raw-path.ts'

// What stands at a path of the project, by the path's own directories: what lies beyond a link is not the project's.

export type Standing =
  | { readonly kind: 'nothing' }
  /** A regular file or a link. */
  | { readonly kind: 'file'; readonly mark: Mark }
  | { readonly kind: 'directory' }
  /** One of its directories is none: what is `at` that path stands in the way. */
  | { readonly kind: 'behind'; readonly at: string }
  /** It belongs to the repository `at` one of its directories. */
  | { readonly kind: 'foreign'; readonly at: string }
  /** A pipe or the like, or nobody may look. */
  | { readonly kind: 'other' }

/** By what a file that changed in any way is told from the one that was looked at. */
export interface Mark {
  readonly inode: number
  readonly size: number
  readonly mode: number
  readonly modified: number
  readonly changed: number
}

/** The directories that a path lies in, the topmost first; the root itself is not named. */
export function directoriesOf(path: string): readonly string[] {
  const found: string[] = []
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) found.push(path.slice(0, end))
  return found
}

export const markOf = ({ ino, size, mode, mtimeMs, ctimeMs }: Stats): Mark => ({
  inode: ino,
  size,
  mode,
  modified: mtimeMs,
  changed: ctimeMs,
})

export const isStill = (mark: Mark, found: Stats): boolean =>
  found.ino === mark.inode &&
  found.size === mark.size &&
  found.mode === mark.mode &&
  found.mtimeMs === mark.modified &&
  found.ctimeMs === mark.changed

/** Looks at paths; directories that many of them share are looked at once. */
export function lookingIn(root: string): (path: string) => Promise<Standing> {
  const known = new Map<string, Promise<Standing>>()
  const directory = (path: string): Promise<Standing> => {
    const before = known.get(path)
    if (before) return before
    const answer = lookInto(path)
    known.set(path, answer)
    return answer
  }
  const lookInto = async (path: string): Promise<Standing> => {
    const found = await look(path)
    if (found.kind !== 'directory') return found
    const { kind } = await standingAt(fullPath(root, `${path}/.git`))
    return kind === 'file' || kind === 'directory' ? { kind: 'foreign', at: path } : found
  }
  const look = async (path: string): Promise<Standing> => {
    const end = path.lastIndexOf('/')
    if (end > 0) {
      const above = await directory(path.slice(0, end))
      if (above.kind === 'file' || above.kind === 'other') return { kind: 'behind', at: path.slice(0, end) }
      if (above.kind !== 'directory') return above
    }
    return standingAt(fullPath(root, path))
  }
  return look
}

async function standingAt(path: Buffer): Promise<Standing> {
  try {
    const found = await lstat(path)
    if (found.isDirectory()) return { kind: 'directory' }
    return found.isFile() || found.isSymbolicLink()
      ? { kind: 'file', mark: markOf(found) }
      : { kind: 'other' }
  } catch (error) {
    const gone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return { kind: gone ? 'nothing' : 'other' }
  }
}

/**
 * All files below a directory; null where something is that must not go: a repository, a directory of ours, more than
 * `most` files, or what nobody may look into.
 */
export async function filesBelow(
  root: string,
  path: string,
  ours: string,
  most: number,
): Promise<readonly string[] | null> {
  const home = await stat(ours)
  const files: string[] = []
  const open = [path]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const full = fullPath(root, next)
    const found = await lstat(full)
    if (found.dev === home.dev && found.ino === home.ino) return null
    const names = await readdir(full, { encoding: 'latin1', withFileTypes: true }).catch(() => null)
    if (names === null) return null
    for (const each of names) {
      if (isRepositoryName(each.name)) return null
      const list = each.isDirectory() ? open : files
      list.push(`${next}/${each.name}`)
    }
    if (files.length > most) return null
  }
  return files
}

/** `.git` of any kind: as a directory, a file or a link, and as file systems that do not tell cases apart have it. */
export const isRepositoryName = (name: string): boolean => name.toLowerCase() === '.git'
