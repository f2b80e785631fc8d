import { BoughError } from '../../tree/error.ts'
import { GitError, type GitPlace, git, records } from '../git.ts'
import type { Shadow } from '../shadow/shadow.ts'

/** A file, a link or a submodule in a git tree. */
export interface Entry {
  readonly mode: string
  readonly object: string
}

/** A path at which two trees differ; null where a tree has nothing. */
export interface Difference {
  readonly path: string
  readonly from: Entry | null
  readonly to: Entry | null
}

export const isSubmodule = (entry: Entry | null): boolean => entry?.mode === '160000'

export const isRegular = ({ mode }: Entry): boolean => mode.startsWith('100')

export const isSame = (one: Entry | null, other: Entry | null): boolean =>
  one?.mode === other?.mode && one?.object === other?.object

/** Fails where a part of either tree that is needed to tell is gone: what is not found was not absent. */
export async function differences(shadow: Shadow, from: string, to: string): Promise<readonly Difference[]> {
  return differencesIn(await ask(shadow, [...rawDiff, from, to]))
}

/** The same, of trees in the shadow at a place. */
export const differencesAt = async (
  place: GitPlace,
  from: string,
  to: string,
): Promise<readonly Difference[]> => differencesIn(records(await git(place, [...rawDiff, from, to])))

const rawDiff = ['diff-tree', '-r', '-z', '--raw', '--no-renames']

function differencesIn(fields: readonly string[]): readonly Difference[] {
  const found: Difference[] = []
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [before = '', after = '', one = '', other = ''] = (fields[i] ?? '').slice(1).split(' ')
    found.push({ path: fields[i + 1] ?? '', from: entryOf(before, one), to: entryOf(after, other) })
  }
  return found
}

/** Raw paths that differ between two trees. */
export async function pathsBetween(shadow: Shadow, a: string, b: string): Promise<ReadonlySet<string>> {
  return new Set(await ask(shadow, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', a, b]))
}

/** All that a tree has, by raw path. */
export async function entriesOf(shadow: Shadow, tree: string): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>()
  for (const record of await ask(shadow, ['ls-tree', '-r', '-z', '--full-tree', tree])) {
    const tab = record.indexOf('\t')
    const [mode = '', , object = ''] = record.slice(0, tab).split(' ')
    entries.set(record.slice(tab + 1), { mode, object })
  }
  return entries
}

/** As `git update-index -z --index-info` reads them. */
export const indexInfo = (entries: readonly (Entry & { readonly path: string })[]): string =>
  entries.map(({ mode, object, path }) => `${mode} ${object}\t${path}\0`).join('')

export const damaged = (shadow: Shadow, cause?: unknown): BoughError =>
  new BoughError(
    'snapshot_failed',
    `The snapshot is damaged: parts of it are gone from ${shadow.directory}. No file was changed.`,
    { cause },
  )

const entryOf = (mode: string, object: string): Entry | null => (mode === '000000' ? null : { mode, object })

async function ask(shadow: Shadow, args: readonly string[]): Promise<readonly string[]> {
  try {
    return records(await git(shadow.place(shadow.aside('none'), shadow.directory), args))
  } catch (error) {
    throw error instanceof GitError ? damaged(shadow, error) : error
  }
}
