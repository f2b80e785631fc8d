import { lstatSync, type Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { toBytes } from './git.ts'

// Paths below a project's root as git gives and takes them: bytes, one in each character.

/** How many files are looked at together: one by one is slow, all at once takes too much memory. */
const together = 64

/** For Node's own calls. */
export const fullPath = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), toBytes(path)])

/** What is there, links not followed; null for nothing. */
export const look = (root: string, path: string): Promise<Stats | null> =>
  lstat(fullPath(root, path)).catch(() => null)

/** What is at each of them. A few are looked at at once: each takes 3 µs, and waiting for another thread 40 or more. */
export const lookAll = async (root: string, paths: readonly string[]): Promise<readonly (Stats | null)[]> =>
  paths.length > together
    ? eachOf(paths, (path) => look(root, path))
    : paths.map((path) => lookNow(fullPath(root, path)))

function lookNow(path: Buffer): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

/** Does the work for all, some at a time; results in the same order. */
export async function eachOf<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = []
  for (let i = 0; i < items.length; i += together) {
    results.push(...(await Promise.all(items.slice(i, i + together).map(work))))
  }
  return results
}

/** As git reads them with -z. */
export const joined = (paths: readonly string[]): string => paths.map((path) => `${path}\0`).join('')

/** Tells which paths lie beyond a link: their directory is one, so what is found there is not theirs. */
export function beyondLinks(root: string): (path: string) => Promise<boolean> {
  const known = new Map<string, boolean>()
  const isLink = (directory: string): boolean => {
    const before = known.get(directory)
    if (before !== undefined) return before
    const answer = lookNow(fullPath(root, directory))?.isSymbolicLink() === true || isBeyond(directory)
    known.set(directory, answer)
    return answer
  }
  const isBeyond = (path: string): boolean => {
    const end = path.lastIndexOf('/')
    return end > 0 && isLink(path.slice(0, end))
  }
  return async (path) => isBeyond(path)
}
