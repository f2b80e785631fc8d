import { rm } from 'node:fs/promises'
import { markDirectories, readElsewhere, readInDoubt } from '../capture/swapped-directories.ts'
import { type GitPlace, git, records, startScript, tryGit } from '../git.ts'
import { joined } from '../raw-path.ts'
import type { Shadow } from '../shadow/shadow.ts'
import type { Entry } from './tree-entries.ts'

/**
 * Reads files as they are on disk into the shadow, whatever is ignored; gives what each became. One that cannot be
 * read, or changes while it is read, has no answer.
 */
export async function hashFiles(
  shadow: Shadow,
  root: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Entry>> {
  if (paths.length === 0) return new Map()
  return shadow.withAside('hash', async (index) => {
    const place = shadow.place(index, root)
    const before = markDirectories(root, paths)
    const all = await startScript(place, `git ${adding.join(' ')}; git ls-files -z --stage`)(joined(paths))
    if (all.code !== 0) await addReadable(place, index, paths)
    const listed = all.code === 0 ? all.stdout : await git(place, ['ls-files', '-z', '--stage'])
    const entries = toEntries(listed)
    const doubtful = readInDoubt(root, before, paths)
    for (const path of readElsewhere(root, doubtful, entries)) entries.delete(path)
    return entries
  })
}

const adding = ['update-index', '-z', '--add', '--stdin']

// By halves.
async function addReadable(place: GitPlace, index: string, paths: readonly string[]): Promise<void> {
  // A file that shrinks while git reads it can kill git, and then its lock stays.
  await rm(`${index}.lock`, { force: true })
  const { code } = await tryGit(place, adding, { input: joined(paths) })
  if (code === 0 || paths.length === 1) return
  const middle = Math.ceil(paths.length / 2)
  await addReadable(place, index, paths.slice(0, middle))
  await addReadable(place, index, paths.slice(middle))
}

/** What `git ls-files --stage` lists. */
export function toEntries(listed: string): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  for (const record of records(listed)) {
    const [, mode = '', object = '', path = ''] = /^(\d+) (\w+) 0\t(.*)$/s.exec(record) ?? []
    entries.set(path, { mode, object })
  }
  return entries
}
