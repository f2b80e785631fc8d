import type { Snapshot } from '../../tree/snapshot.ts'
import type { Files } from '../capture/capture-files.ts'
import { fromText, toText } from '../git.ts'
import { isRules } from '../gitignore.ts'
import type { Shadow } from '../shadow/shadow.ts'
import { ignoredNow, ignoredThen } from './ignored-then.ts'
import type { Left, RestoreOptions } from './restore-plan.ts'
import { directoriesOf } from './standing.ts'
import { type Difference, entriesOf } from './tree-entries.ts'

/** Files that a snapshot proves were not there. */
export interface Absent {
  /** Not all of them need be there now. */
  readonly paths: readonly string[]
  /** Those that it does not have and that were perhaps there all the same. */
  readonly left: readonly Left[]
}

/**
 * Looks among the files that were captured now and not then, and where other rules ignore files now than then, among
 * those that are ignored now. `mayGo` says which paths to speak of at all.
 */
export async function provenAbsent(
  shadow: Shadow,
  root: string,
  from: Files,
  to: Pick<Snapshot, 'tree' | 'missing'>,
  differing: readonly Difference[],
  mayGo: (path: string) => boolean,
  { only, exact = false }: RestoreOptions,
): Promise<Absent> {
  const different = new Set(differing.map(({ path }) => path))
  const captured = differing.filter((each) => each.to === null && mayGo(each.path)).map(({ path }) => path)
  const listed = exact && only
  const found = listed ? [...only] : await ignoredByOtherRules(shadow, root, from.tree, differing)
  const maybeHidden = found.filter((path) => !different.has(path) && mayGo(path.replace(/\/$/, '')))
  if (maybeHidden.length === 0 && (exact || captured.length === 0)) return { paths: captured, left: [] }

  const tree = await entriesOf(shadow, to.tree)
  const hidden = maybeHidden.filter((path) => !tree.has(path))
  const doubtful = [...(exact ? [] : captured), ...(listed ? [] : hidden)]
  const isCaptured = (path: string) => tree.has(path) || different.has(path)
  const ignored = await ignoredThen(shadow, root, tree, isCaptured, doubtful)
  const isUnclear = exact ? () => false : withoutRules(to)
  const left: Left[] = []
  const paths: string[] = []
  for (const path of captured) {
    if (ignored.has(path)) left.push({ path: toText(path), why: 'ignored then' })
    else if (isUnclear(path)) left.push({ path: toText(path), why: 'not captured then' })
    else paths.push(path)
  }
  for (const path of hidden) {
    if (ignored.has(path) || isUnclear(path)) continue
    if (path.endsWith('/')) left.push({ path: toText(path.slice(0, -1)), why: 'not captured now' })
    else paths.push(path)
  }
  return { paths, left }
}

// By the same rules, what is ignored now was ignored then: nothing is known of it.
async function ignoredByOtherRules(
  shadow: Shadow,
  root: string,
  tree: string,
  differing: readonly Difference[],
): Promise<readonly string[]> {
  return differing.some(({ path }) => isRules(path)) ? ignoredNow(shadow, root, tree) : []
}

// Where a .gitignore itself could not be captured, nobody knows what it ignored.
function withoutRules({ missing }: Pick<Snapshot, 'missing'>): (path: string) => boolean {
  const directories = new Set(
    missing
      .filter(({ path }) => isRules(path))
      .map(({ path }) => fromText(path).replace(/\/?\.gitignore$/, '')),
  )
  return (path) => directories.size > 0 && ['', ...directoriesOf(path)].some((each) => directories.has(each))
}
