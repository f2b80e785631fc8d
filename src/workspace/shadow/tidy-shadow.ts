import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { diskSize, look } from '../disk-size.ts'
import { git } from '../git.ts'
import { inShadow } from './in-shadow.ts'
import { clearIndexes, clearLitter, removeAll } from './litter.ts'
import { findObjectFiles, type ObjectFiles } from './object-files.ts'
import { idOf, ownNeed, repack, withSharedPacks } from './repack.ts'
import { aloneInShadow, usingShadow } from './shadow-use.ts'
import { gatherRefs, readRefs, type SnapshotRef } from './snapshot-refs.ts'

// A kill at any point leaves every wanted snapshot whole, and the next tidying finishes the job:
//
//   1  litter goes                          what killed processes left, an earlier tidying too
//   2  the note `tidied` goes               from here on the shadow counts as untidy
//   3  new packs are made and checked       aside; they count only when they are moved in
//   4  kept indexes go, then old objects    everything wanted is in the new packs, or shared with the person
//   5  unwanted refs go                     the others get into one file
//   6  the note `tidied` is written         with the names of the packs

/** Bytes on disk, as `diskSize` counts them. `busy`: somebody uses the shadow now, nothing was done. */
export interface Tidied {
  readonly before: number
  readonly after: number
  readonly busy: boolean
}

/** A capture keeps its ref before its row is stored: a ref as young as this is wanted, whatever the store says. */
const young = 60 * 60_000

/** So many objects outside of a pack are not worth the work. */
const few = { objects: 250, bytes: 8 * 2 ** 20 }

/** What the index of a pack takes for one object, more or less: its id, checksum and offset. */
const perObject = 48

/** What tidying itself takes at most: the tables of two packs, a note, the refs, and what their last blocks are short of. */
const perTidying = 40 * 1024

/**
 * Removes all snapshots but the wanted ones, and every object that these do not need. `wanted` may be asked for: then
 * it is, when nobody else uses the shadow any more.
 */
export async function tidyShadow(
  directory: string,
  wanted: ReadonlySet<string> | (() => Promise<ReadonlySet<string>>),
): Promise<Tidied> {
  await clearRemoved(directory)
  if (!isShadow(directory)) return { before: 0, after: 0, busy: false }
  return measured(directory, async () => {
    await clearLitter(directory)
    const refs = sortOut(await readRefs(directory), typeof wanted === 'function' ? await wanted() : wanted)
    const files = await findObjectFiles(join(directory, 'objects'))
    const isTidy = refs.gone.length === 0 && isCompact(files, await noted(directory))
    if (isTidy) return gatherRefs(directory, refs.wanted, [])
    await rm(noteIn(directory), { force: true })
    const kept = [...refs.wanted, ...refs.young].map(({ tree }) => tree)
    const packs = await repack(directory, kept, () => clearIndexes(directory))
    await gatherRefs(directory, refs.wanted, refs.gone)
    await writeFile(noteIn(directory), packs.join('\n'))
  })
}

/** Removes the whole shadow, when no snapshot of its project is wanted any more: asked when nobody else uses it. */
export async function removeShadow(directory: string, isUnwanted: () => Promise<boolean>): Promise<Tidied> {
  await clearRemoved(directory)
  if (!look(directory)) return { before: 0, after: 0, busy: false }
  return measured(directory, async () => {
    if (!(await isUnwanted())) return
    // Out of the way at once: whoever comes now starts a new one.
    const removed = join(dirname(directory), `${removedPrefix}${crypto.randomUUID().slice(0, 8)}`)
    await rename(directory, removed)
    await removeAll(removed)
  })
}

/** What tidying without these snapshots would free, at least. Nothing is changed. */
export async function sizeOfFreed(directory: string, unwanted: readonly string[]): Promise<number> {
  if (!isShadow(directory)) return 0
  return usingShadow(directory, async () => {
    const refs = await readRefs(directory)
    const without = new Set(unwanted)
    const wanted = new Set(refs.map(({ id }) => id).filter((id) => !without.has(id)))
    const { wanted: kept, young, gone } = sortOut(refs, wanted)
    const files = await findObjectFiles(join(directory, 'objects'))
    if (gone.length === 0 && isCompact(files, await noted(directory))) return 0
    const trees = [...kept, ...young].map(({ tree }) => tree)
    const needed = await withSharedPacks(directory, files, async (shared) =>
      bytesOf(directory, (await ownNeed(directory, trees, files, shared)).map(idOf)),
    )
    const own = [...files.packs, ...files.loose].reduce(
      (sum, { shared, bytes }) => sum + (shared ? 0 : bytes),
      0,
    )
    return Math.max(0, own + (await diskSize(join(directory, 'indexes'))) - needed - perTidying)
  })
}

const isShadow = (directory: string): boolean => look(join(directory, 'config')) !== undefined

const noteIn = (directory: string): string => join(directory, 'tidied')

// Which packs the last tidying left; null when it did not come to its end.
const noted = (directory: string): Promise<readonly string[] | null> =>
  readFile(noteIn(directory), 'utf8').then(
    (text) => text.split('\n'),
    () => null,
  )

async function measured(directory: string, work: () => Promise<void>): Promise<Tidied> {
  const done = await aloneInShadow(directory, async () => {
    const before = await diskSize(directory)
    await work()
    return { before, after: await diskSize(directory), busy: false }
  })
  if (done) return done
  const size = await diskSize(directory)
  return { before: size, after: size, busy: true }
}

interface SortedRefs {
  readonly wanted: readonly SnapshotRef[]
  /** Not known to be wanted, and too young to tell. */
  readonly young: readonly SnapshotRef[]
  readonly gone: readonly SnapshotRef[]
}

function sortOut(refs: readonly SnapshotRef[], wanted: ReadonlySet<string>): SortedRefs {
  const since = Date.now() - young
  const sorted = Map.groupBy(refs, ({ id, written }) =>
    wanted.has(id) ? 'wanted' : (written ?? 0) > since ? 'young' : 'gone',
  )
  return {
    wanted: sorted.get('wanted') ?? [],
    young: sorted.get('young') ?? [],
    gone: sorted.get('gone') ?? [],
  }
}

// Nothing but the packs of the last tidying, what is shared, and a few objects of captures since.
function isCompact({ packs, loose }: ObjectFiles, left: readonly string[] | null): boolean {
  const own = loose.filter(({ shared }) => !shared)
  return (
    left !== null &&
    packs.every(({ name, shared }) => shared || left.includes(name)) &&
    own.length <= few.objects &&
    own.reduce((sum, { bytes }) => sum + bytes, 0) <= few.bytes
  )
}

// As they are stored now: a new pack takes no more for them, but for those whose delta is against one that goes.
async function bytesOf(directory: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  const format = '--batch-check=%(objectsize:disk) %(objectsize) %(deltabase)'
  const needed = new Set(ids)
  let bytes = 0
  const answers = await git(inShadow(directory), ['cat-file', format], { input: `${ids.join('\n')}\n` })
  for (const line of answers.split('\n')) {
    const [stored = '0', full = '0', base = ''] = line.split(' ')
    bytes += perObject + Number(/^0*$/.test(base) || needed.has(base) ? stored : full)
  }
  return bytes
}

const removedPrefix = '.removed-'

// Shadows whose removal was killed half way.
async function clearRemoved(directory: string): Promise<void> {
  const all = dirname(directory)
  for (const name of await readdir(all).catch(() => [])) {
    if (name.startsWith(removedPrefix)) await removeAll(join(all, name))
  }
}
