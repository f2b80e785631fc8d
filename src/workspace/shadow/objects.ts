import { linkSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readTextIfThere } from '../../read-regular-file.ts'
import { alternates } from '../alternates.ts'
import { type GitPlace, git, records } from '../git.ts'

// How a shadow comes to own the objects that a copied index refers to. Objects never change: a hard link is as good as
// a copy, costs no space and survives the deletion of the original. On another file system they are packed instead,
// and only those that the index refers to.

/** Makes the objects that an index refers to our own; `objects` is where the person's are. */
export async function ownObjects(place: GitPlace, own: string, objects: string): Promise<void> {
  const stores = await objectStores(objects)
  for (const store of stores) {
    if (!(await linkObjects(store, own))) return packObjects(place, own, stores)
  }
}

// Repositories made with --shared or --reference have the rest of their objects elsewhere, and those again.
async function objectStores(objects: string, seen: readonly string[] = []): Promise<readonly string[]> {
  if (seen.includes(objects)) return seen
  let all: readonly string[] = [...seen, objects]
  const alternates = readTextIfThere(join(objects, 'info', 'alternates')) ?? ''
  for (const line of alternates.split('\n')) {
    if (line !== '' && !line.startsWith('#')) all = await objectStores(resolve(objects, line), all)
  }
  return all
}

// False where links cannot be made. The person's git may repack meanwhile: it deletes an object only when it is in a
// pack, so packs are read last, and all again when something was gone.
async function linkObjects(from: string, to: string): Promise<boolean> {
  const groups = (await readdir(from).catch(() => [])).filter((name) => /^([0-9a-f]{2}|pack)$/.test(name))
  for (const group of groups.toSorted()) {
    const there = new Set(await readdir(join(to, group)).catch(() => []))
    const names = (await readdir(join(from, group)).catch(() => [])).filter(
      (name) => !there.has(name) && /^([0-9a-f]{38,}|pack-.*\.(pack|idx))$/.test(name),
    )
    if (names.length === 0) continue
    await mkdir(join(to, group), { recursive: true })
    // An index makes its pack visible: it has to come after it.
    for (const some of [names.filter((name) => !isIndex(name)), names.filter(isIndex)]) {
      const ends = some.map((name) => linkOne(join(from, group, name), join(to, group, name)))
      if (ends.includes('impossible')) return false
      if (ends.includes('gone')) return linkObjects(from, to)
    }
  }
  return true
}

const isIndex = (name: string): boolean => name.endsWith('.idx')

// At once: one takes 10 µs, waiting for it 40. A group is small enough not to keep others waiting.
function linkOne(from: string, to: string): 'done' | 'gone' | 'impossible' {
  try {
    linkSync(from, to)
    return 'done'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') return 'done'
    return code === 'ENOENT' ? 'gone' : 'impossible'
  }
}

async function packObjects(place: GitPlace, own: string, stores: readonly string[]): Promise<void> {
  const entries = records(await git(place, ['ls-files', '-z', '--stage']))
  const wanted = entries.flatMap((entry) => /^100\d{3} (\w+)|^120000 (\w+)/.exec(entry)?.slice(1) ?? [])
  const missing = await lacking(place, [...new Set(wanted.filter(Boolean))])
  const theirs = { GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates(...stores) }
  const both = { ...place, env: { ...place.env, ...theirs } }
  const nowhere = new Set(await lacking(both, missing))
  const input = missing.filter((id) => !nowhere.has(id)).join('\n')
  // No search for better deltas: those that are there are taken over.
  if (input !== '')
    await git(both, ['pack-objects', '-q', '--window=0', join(own, 'pack', 'pack')], { input })
}

/** Which of these objects a repository has not got. */
export async function lacking(place: GitPlace, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return []
  const answers = await git(place, ['cat-file', '--batch-check=.'], { input: `${ids.join('\n')}\n` })
  return answers.split('\n').flatMap((line) => /^(\w+) missing$/.exec(line)?.[1] ?? [])
}
