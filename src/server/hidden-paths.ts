import { basename } from 'node:path'
import type { Home } from '../home.ts'
import type { KnownDirectories } from './known-directories.ts'

/** Takes out of words where on this machine things are, but for what sessions work in. */
export type HidePaths = (words: string) => Promise<string>

// A full stop at the end is the sentence's.
const rest = `[^\\s"'\`(),:;]*(?<!\\.)`
// Two names or more: one alone is a command of an agent, or a path of the server's own.
const anyPath = `(?<![\\w.~:/-])(?:/[^\\s"'\`(),:;/]+){2,}/?`

/** Programs are named without the way to them; of bough's own files nothing is told but that it is one of them. */
export function hidingPaths({ data, config }: Home, directories: KnownDirectories): HidePaths {
  const own = `(?:${RegExp.escape(config)}|${RegExp.escape(data)}(?!/worktrees/))(?![\\w-]|\\.\\w)${rest}`
  return async (words) => {
    if (!words.includes('/')) return words
    const known = (await directories.all()).map((path) => RegExp.escape(path))
    const paths = new RegExp(
      `(?<own>${own})|(?<known>(?:${known.join('|') || '(?!)'})(?:/${rest})?(?![\\w-]|\\.\\w))|${anyPath}`,
      'g',
    )
    return words.replaceAll(paths, (path, ...found) => {
      const groups = found.at(-1)
      if (groups.own) return "bough's own files"
      return groups.known ? path : basename(path)
    })
  }
}
