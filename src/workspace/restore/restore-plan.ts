import type { FileChange } from '../../tree/file-change.ts'
import type { Snapshot } from '../../tree/snapshot.ts'
import type { Files } from '../capture/capture-files.ts'
import { largestFile } from '../capture/capture-project.ts'
import { toText } from '../git.ts'
import type { Project } from '../project.ts'
import { eachOf } from '../raw-path.ts'
import { lacking } from '../shadow/objects.ts'
import type { Shadow } from '../shadow/shadow.ts'
import { hashFiles } from './hash-files.ts'
import { provenAbsent } from './proven-absent.ts'
import { shieldOf } from './shield.ts'
import { directoriesOf, filesBelow, lookingIn, type Mark, type Standing } from './standing.ts'
import { type Difference, damaged, differences, type Entry, isRegular, isSame } from './tree-entries.ts'

// What a snapshot has is written, what it proves was not there is deleted. Everything that would go by that is first read
// into the shadow as it is on disk: what cannot be read could not be brought back, and stays. Where something stays,
// nothing else can stand.

/** So much that no snapshot holds is kept for an undo. Where there is more, all of it is left alone. */
const most = { files: 100_000, bytes: 2 ** 31 }

/** What stays as it is although it is not, or perhaps not, as in the snapshot. */
export interface Left {
  readonly path: string
  readonly why: WhyLeft
}

export type WhyLeft =
  /** The snapshot's own rules ignored it: perhaps it was there. */
  | 'ignored then'
  /** The snapshot names it as something that it does not have. */
  | 'not captured then'
  /** It could not be brought back: too large, unreadable, a repository, or changing all the time. */
  | 'not captured now'
  /** In a repository of its own, which was not one then. */
  | 'nested repository'
  /** At another commit, or not there at one of the two times. */
  | 'submodule'
  /** It stands where the snapshot has something else, and cannot go. */
  | 'in the way'
  /** A sparse checkout leaves it out. */
  | 'not checked out'
  /** Somebody wrote there since the plan was made. */
  | 'changed meanwhile'
  | 'not writable'

export interface RestorePlan {
  /** For people: what would be written or deleted, sorted by path. */
  readonly changes: readonly FileChange[]
  /** Sorted by path. */
  readonly left: readonly Left[]
  readonly writes: readonly Write[]
  readonly deletions: readonly Deletion[]
  /** What is on disk where the plan looked, and not so in the tree that the plan starts from. */
  readonly unheld: readonly (Entry & { readonly path: string })[]
}

export interface Write {
  /** Bytes, as latin1. */
  readonly path: string
  readonly to: Entry
  /** What is overwritten; null where nothing is. */
  readonly was: Known | null
}

export interface Deletion {
  readonly path: string
  readonly was: Known
}

/** A file on disk, and what the shadow has of it. */
export interface Known {
  readonly mark: Mark
  readonly entry: Entry
}

export interface RestoreOptions {
  /** Raw paths: all others are left alone. */
  readonly only?: ReadonlySet<string>
  /**
   * What the snapshot has not was not there, whatever it ignored. A tree for an undo is made so, for the paths between
   * it and what was restored: `only` should name those. Then this also holds for files that are ignored now.
   */
  readonly exact?: boolean
}

/** What it takes to put a project's files back to a snapshot; `from` is how they are, captured right now. */
export async function planRestore(
  shadow: Shadow,
  { root }: Project,
  from: Files,
  to: Pick<Snapshot, 'tree' | 'missing'>,
  options: RestoreOptions = {},
): Promise<RestorePlan> {
  const { only } = options
  const differing = await differences(shadow, from.tree, to.tree)
  const shield = shieldOf(differing, from.missing, to.missing)
  const mayTouch = (path: string) => (only?.has(path) ?? true) && !shield.covers(path)
  const look = lookingIn(root)
  const places = await lookAtPlaces(
    shadow,
    root,
    differing.filter(({ path }) => mayTouch(path)),
    look,
  )

  // What stands where the snapshot has something else was not there, whatever it ignored.
  const obstacles = new Set(places.flatMap((place) => place.obstacles ?? []))
  const mayGo = (path: string) => mayTouch(path) && !obstacles.has(path)
  const absent = await provenAbsent(shadow, root, from, to, differing, mayGo, options)

  const before = new Map(differing.map((each) => [each.path, each.from]))
  const standings = new Map(places.map(({ path, standing }) => [path, standing]))
  // Files that only the snapshot has are looked at even if they stay as they are: an undo must not take them for ours.
  const unheld = differing.filter((each) => each.from === null && each.to !== null).map(({ path }) => path)
  const others = new Set([...absent.paths, ...[...obstacles].filter(mayTouch), ...unheld])
  const more = [...others].filter((path) => !standings.has(path))
  for (const [i, standing] of (await eachOf(more, look)).entries()) standings.set(more[i] ?? '', standing)
  const known = await keep(shadow, root, standings, (path) => before.get(path) ?? null)

  const { writes, cleared, staying, left } = settle(places, known)
  const deletions: Deletion[] = []
  for (const path of new Set([...absent.paths, ...cleared])) {
    const [was, standing] = [known.get(path), standings.get(path)]
    if (directoriesOf(path).some((each) => staying.has(each))) continue
    if (was) deletions.push({ path, was })
    else if (standing?.kind === 'file') left.push({ path: toText(path), why: 'not captured now' })
    else if (standing?.kind === 'foreign') left.push({ path: toText(standing.at), why: 'nested repository' })
    else if (before.get(path) && standing && !isGone(standing)) {
      left.push({ path: toText(path), why: 'changed meanwhile' })
    }
  }
  await mustHave(shadow, writes)
  return {
    changes: changesOf(writes, deletions),
    left: sortedOnce([...shield.named.filter(concerning(only)), ...absent.left, ...left]),
    writes,
    deletions,
    unheld: [...known].flatMap(([path, { entry }]) =>
      isSame(entry, before.get(path) ?? null) ? [] : [{ path, ...entry }],
    ),
  }
}

/** Is only the right to execute it another? Then nothing has to be written. */
export const isModeOnly = ({ to, was }: Write): boolean =>
  was !== null && was.entry.object === to.object && isRegular(to) && isRegular(was.entry)

const isGone = ({ kind }: Standing): boolean => kind === 'nothing' || kind === 'behind'

/** Where the snapshot has a file. */
interface Place {
  readonly path: string
  readonly from: Entry | null
  readonly to: Entry
  readonly standing: Standing
  /** Files that would have to go first; null where something is among them that must not. */
  readonly obstacles: readonly string[] | null
}

function lookAtPlaces(
  shadow: Shadow,
  root: string,
  differing: readonly Difference[],
  look: (path: string) => Promise<Standing>,
): Promise<readonly Place[]> {
  const wanted = differing.flatMap(({ path, from, to }) => (to ? [{ path, from, to }] : []))
  return eachOf(wanted, async (each) => {
    const standing = await look(each.path)
    const obstacles =
      standing.kind === 'directory'
        ? await filesBelow(root, each.path, shadow.directory, most.files)
        : standing.kind === 'behind'
          ? [standing.at]
          : []
    return { ...each, standing, obstacles }
  })
}

// Read again and not taken from the tree: somebody may have written since.
async function keep(
  shadow: Shadow,
  root: string,
  standings: ReadonlyMap<string, Standing>,
  heldAt: (path: string) => Entry | null,
): Promise<ReadonlyMap<string, Known>> {
  const marks = new Map<string, Mark>()
  for (const [path, standing] of standings) {
    if (standing.kind === 'file' && standing.mark.size <= largestFile) marks.set(path, standing.mark)
  }
  const unheld = [...marks].filter(([path]) => heldAt(path) === null)
  const bytes = unheld.reduce((sum, [, { size }]) => sum + size, 0)
  if (unheld.length > most.files || bytes > most.bytes) for (const [path] of unheld) marks.delete(path)

  const known = new Map<string, Known>()
  for (const [path, entry] of await hashFiles(shadow, root, [...marks.keys()])) {
    const mark = marks.get(path)
    if (mark) known.set(path, { mark, entry })
  }
  return known
}

interface Settled {
  readonly writes: readonly Write[]
  /** What goes to make room for them. */
  readonly cleared: readonly string[]
  /** Directories that cannot go: nothing in them does. */
  readonly staying: ReadonlySet<string>
  readonly left: Left[]
}

function settle(places: readonly Place[], known: ReadonlyMap<string, Known>): Settled {
  const writes: Write[] = []
  const cleared: string[] = []
  const staying = new Set<string>()
  const left: Left[] = []
  for (const { path, from, to, standing, obstacles } of places) {
    const leave = (why: WhyLeft, at = path) => left.push({ path: toText(at), why })
    const was = known.get(path) ?? null
    switch (standing.kind) {
      case 'nothing':
        if (from) leave('not checked out')
        else writes.push({ path, to, was: null })
        break
      case 'file':
        if (!was) leave('not captured now')
        else if (!isSame(was.entry, to)) writes.push({ path, to, was })
        break
      case 'directory':
      case 'behind':
        if (obstacles?.every((each) => known.has(each))) {
          writes.push({ path, to, was: null })
          cleared.push(...obstacles)
        } else if (standing.kind === 'behind') {
          leave('in the way', standing.at)
        } else {
          leave('in the way')
          staying.add(path)
        }
        break
      case 'foreign':
        leave('nested repository', standing.at)
        break
      case 'other':
        leave('in the way')
    }
  }
  return { writes, cleared, staying, left }
}

// A snapshot that lost a part of itself must fail here, before anything is touched.
async function mustHave(shadow: Shadow, writes: readonly Write[]): Promise<void> {
  const objects = new Set(writes.filter((write) => !isModeOnly(write)).map(({ to }) => to.object))
  const place = shadow.place(shadow.aside('none'), shadow.directory)
  if ((await lacking(place, [...objects])).length > 0) throw damaged(shadow)
}

function changesOf(writes: readonly Write[], deletions: readonly Deletion[]): readonly FileChange[] {
  const changes: readonly FileChange[] = [
    ...writes.map(({ path, was }) => ({
      path: toText(path),
      change: was ? ('changed' as const) : ('added' as const),
    })),
    ...deletions.map(({ path }) => ({ path: toText(path), change: 'deleted' as const })),
  ]
  return changes.toSorted(byPath)
}

function sortedOnce(left: readonly Left[]): readonly Left[] {
  const first = new Map<string, Left>()
  for (const each of left) if (!first.has(each.path)) first.set(each.path, each)
  return [...first.values()].toSorted(byPath)
}

const byPath = (a: { readonly path: string }, b: { readonly path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0

function concerning(only: ReadonlySet<string> | undefined): (left: Left) => boolean {
  if (!only) return () => true
  const names = new Set([...only].flatMap((path) => [...directoriesOf(path), path].map(toText)))
  return ({ path }) => names.has(path)
}
