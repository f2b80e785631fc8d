import { unlinkSync } from 'node:fs'
import { link, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, join, parse } from 'node:path'
import { BoughError } from '../../tree/error.ts'
import { alternates } from '../alternates.ts'
import { type GitPlace, git } from '../git.ts'
import { inShadow } from './in-shadow.ts'
import { findObjectFiles, type ObjectFiles } from './object-files.ts'
import { lacking } from './objects.ts'

// How a shadow comes to hold no more than its snapshots need. What the person's repository has too stays as it is: a copy
// of it would cost what the link does not. The rest goes into new packs, and only when everything is found without
// the old files are they deleted.

/** A directory beside the objects, for packs that do not count yet. Cleared up by whoever is alone in the shadow. */
export const asidePrefix = 'tidying-'

/**
 * Leaves of a shadow's objects what these trees need, in new packs, and what is shared; returns the names of those packs.
 * `forget` is called before the first object goes.
 */
export async function repack(
  directory: string,
  trees: readonly string[],
  forget: () => Promise<void>,
): Promise<readonly string[]> {
  const objects = join(directory, 'objects')
  const files = await findObjectFiles(objects)
  const made = await withSharedPacks(directory, files, async (shared) => {
    const lines = await ownNeed(directory, trees, files, shared)
    const names = await packAside(shared, objects, lines)
    const lost = await lacking(shared, lines.map(idOf))
    if (lost.length > 0) {
      throw new BoughError(
        'snapshot_failed',
        `The snapshots in ${directory} cannot be packed: ${lost.length} of their objects are not found afterwards. Nothing was deleted.`,
      )
    }
    await moveIn(storeOf(shared), objects, names)
    return names
  })
  await forget()
  const old = files.packs.filter(({ name, shared }) => !shared && !made.includes(name))
  removeFiles(old.flatMap((pack) => pack.files))
  await removeLoose(objects, files)
  return made
}

/**
 * What these trees need and no shared file has: the lines of `rev-list --objects`, where a path behind the id tells git
 * what resembles what. What is lost already is not among them.
 */
export async function ownNeed(
  directory: string,
  trees: readonly string[],
  files: ObjectFiles,
  shared: GitPlace,
): Promise<readonly string[]> {
  const args = ['rev-list', '--objects', '--missing=allow-any', '--ignore-missing', '--stdin']
  const listed = await git(inShadow(directory), args, { input: [...new Set(trees), ''].join('\n') })
  const sharedLoose = new Set(files.loose.filter((each) => each.shared).map(({ id }) => id))
  const lines = listed.split('\n').filter((line) => line !== '' && !sharedLoose.has(idOf(line)))
  if (!files.packs.some((pack) => pack.shared)) return lines
  const own = new Set(await lacking(shared, lines.map(idOf)))
  return lines.filter((line) => own.has(idOf(line)))
}

/** Gives the work a place where only the shared packs are found. */
export async function withSharedPacks<T>(
  directory: string,
  { packs }: ObjectFiles,
  work: (place: GitPlace) => Promise<T>,
): Promise<T> {
  const aside = join(directory, `${asidePrefix}${crypto.randomUUID().slice(0, 8)}`)
  try {
    await mkdir(join(aside, 'pack'), { recursive: true, mode: 0o700 })
    for (const file of packs.filter(({ shared }) => shared).flatMap((pack) => pack.files)) {
      await link(file, join(aside, 'pack', basename(file)))
    }
    const place = inShadow(directory)
    return await work({ ...place, env: { ...place.env, GIT_OBJECT_DIRECTORY: aside } })
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

const storeOf = ({ env }: GitPlace): string => env.GIT_OBJECT_DIRECTORY ?? ''

/** Which object a line of `ownNeed` is about. */
export const idOf = (line: string): string => line.split(' ', 1)[0] ?? ''

// Deltas that are there are taken over. New ones are looked for only where a path has several versions: among files that
// merely resemble each other the search takes most of the time and finds next to nothing. So these get packs of their own.
async function packAside(
  place: GitPlace,
  objects: string,
  lines: readonly string[],
): Promise<readonly string[]> {
  const both = { GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates(objects) }
  const from = { ...place, env: { ...place.env, ...both } }
  const versions = Map.groupBy(lines, (line) => line.slice(line.indexOf(' ')))
  const groups = [...versions.values()]
  const packs = [
    { window: 0, some: groups.filter((group) => group.length === 1).flat() },
    { window: 10, some: groups.filter((group) => group.length > 1).flat() },
  ]
  const names: string[] = []
  for (const { window, some } of packs) {
    if (some.length === 0) continue
    const args = ['pack-objects', '-q', '--delta-base-offset', `--window=${window}`]
    const target = join(storeOf(place), 'pack', 'pack')
    const hash = await git(from, [...args, target], { input: `${some.join('\n')}\n` })
    names.push(`pack-${hash.trim()}`)
  }
  return names
}

// An index makes its pack visible: it has to come after it.
async function moveIn(from: string, objects: string, names: readonly string[]): Promise<void> {
  const to = join(objects, 'pack')
  const members = (await readdir(join(from, 'pack'))).filter((member) => names.includes(parse(member).name))
  for (const member of members.toSorted((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')))) {
    await rename(join(from, 'pack', member), join(to, member))
  }
  // The names too must be on disk before the old ones go.
  const folder = await open(to)
  await folder.sync().finally(() => folder.close())
}

async function removeLoose(objects: string, { loose }: ObjectFiles): Promise<void> {
  const own = loose.filter(({ shared }) => !shared)
  for (const [group, some] of Map.groupBy(own, ({ id }) => id.slice(0, 2))) {
    removeFiles(some.map(({ file }) => file))
    // Fails where something shared is left in it.
    await rmdir(join(objects, group)).catch(() => {})
  }
}

// At once: one takes 10 µs, waiting for it 60.
function removeFiles(files: readonly string[]): void {
  for (const file of files) {
    try {
      unlinkSync(file)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
}
