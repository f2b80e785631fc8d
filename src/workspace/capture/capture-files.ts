import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BoughError } from '../../tree/error.ts'
import type { Missing } from '../../tree/snapshot.ts'
import { type GitPlace, toText } from '../git.ts'
import { ignoredAmong } from '../gitignore.ts'
import type { Project } from '../project.ts'
import { beyondLinks, eachOf, lookAll, look as lookAt } from '../raw-path.ts'
import type { Shadow } from '../shadow/shadow.ts'
import { type Note, readNote, writeNote } from './capture-note.ts'
import { captureTouched, type Touched } from './capture-touched.ts'
import { type Differing, treeWithFew } from './few-changes.ts'
import { rulesInForce } from './ignore-rules.ts'
import { type Scan, scan } from './scan.ts'
import { convertedPaths, readSeed, type Seed } from './seed.ts'
import { lookAtSubmodules, mayHaveLinks, type Submodules } from './submodules.ts'
import { throughIndex, treeOf } from './through-index.ts'
import { namingWaitingRules } from './waiting-rules.ts'

/** So much at once is captured, and no more. */
const most = { files: 100_000, bytes: 2 ** 31 }

export interface Files {
  /** The git tree in the shadow. */
  readonly tree: string
  readonly missing: readonly Missing[]
}

/**
 * Hashes a project's files as they are now into its shadow. Files above `largest` bytes are named, not captured. With
 * `touched` only those files are looked at, where that is certain to give the same.
 */
export function captureFiles(
  shadow: Shadow,
  project: Project,
  largest: number,
  touched?: Touched,
): Promise<Files> {
  const work = async (index: string, isNew: boolean, signal: AbortSignal) => {
    const place = { ...shadow.place(index), signal }
    const notePath = shadow.notePath()
    // Before the files are looked at: rules that change meanwhile are found to be others the next time.
    const rules = rulesInForce(shadow, project)
    const note = isNew ? null : readNote(notePath, index)
    const known = note?.rules === rules ? note : null
    const next =
      (touched && known && (await captureTouched(place, project, known, touched, largest))) ??
      (await captureScanned(shadow, project, place, { isNew, note, rules, largest }))
    if (existsSync(index)) writeNote(notePath, index, next)
    return { tree: next.tree, missing: next.missing }
  }
  return namingWaitingRules(project.root, (signal) =>
    shadow.withIndex((index, isNew) => work(index, isNew, signal)),
  )
}

interface Before {
  readonly isNew: boolean
  readonly note: Note | null
  readonly rules: string
  readonly largest: number
}

async function captureScanned(
  shadow: Shadow,
  project: Project,
  place: GitPlace,
  before: Before,
): Promise<Note> {
  const { isNew, note, rules } = before
  const index = place.env.GIT_INDEX_FILE ?? ''
  const isStale = isNew || (note?.rules !== rules && isSparse(project))
  const seeded = isStale && (await shadow.seedIndex(index))
  const rulesBefore = isNew || seeded ? rules : note?.rules
  // While git looks, the tree is made of what has probably changed: first what had the last time, then what git says of
  // files that it knows. In the end it is mostly found to be right.
  const guess = async (paths: readonly string[]) =>
    note && !seeded ? treeEarly(shadow, project, place, note, paths, before.largest) : null
  let early = guess(note?.differing ?? [])
  const changed = (paths: readonly string[]) => {
    if (!isSame(paths, note?.differing ?? [])) early = guess(paths)
  }
  const scanning = () =>
    scan(place, shadow, project, {
      rulesChanged: rulesBefore !== rules,
      absent: note?.absent ?? [],
      changed,
    })
  const [scanned, submodules] = await Promise.all([
    seeded ? scanSeeded(shadow, project, place, scanning) : scanKept(scanning),
    lookAtSubmodules(shadow, place, project, note && !seeded ? note.mayHaveLinks : mayHaveLinks(index)),
  ])
  const last = note && { ...note, ...(await early) }
  return hash(shadow, project, place, { ...before, note: last }, { ...scanned, submodules })
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && new Set([...a, ...b]).size === a.length

const treeEarly = (
  shadow: Shadow,
  { root }: Project,
  place: GitPlace,
  note: Note,
  paths: readonly string[],
  largest: number,
): Promise<Differing | null> =>
  sortOut(root, paths, largest)
    .then(({ wanted, gone }) => treeWithFew(place, note, wanted, gone, treesPath(shadow)))
    // Whatever it is, it is met again and said then.
    .catch(() => null)

const treesPath = (shadow: Shadow): string => `${shadow.notePath()}.trees`

interface Looked extends Scanned {
  readonly submodules: Submodules
}

async function hash(
  shadow: Shadow,
  { root, repository }: Project,
  place: GitPlace,
  { note, rules, largest }: Before,
  { found, seed, converted, submodules, tree: seedTree }: Looked,
): Promise<Note> {
  const sorted = await sortOut(root, [...new Set([...converted, ...found.changed, ...found.forced])], largest)
  const missing = [...sorted.missing, ...found.unreadable, ...submodules.dirty]

  // Only what the next scan will find again may be left out of the index.
  const isPlain = found.forced.length === 0 && found.dropped.length === 0 && submodules.moved.length === 0
  if (note && !seed && !found.rulesChanged && isPlain) {
    const next = await treeWithFew(place, note, sorted.wanted, sorted.gone, treesPath(shadow))
    if (next) return { ...note, ...next, missing, absent: found.absent }
  }

  const changes = {
    wanted: [...sorted.wanted, ...submodules.moved],
    gone: [...converted, ...sorted.gone, ...found.dropped],
    renew: seed?.isDoubtful ?? false,
    isPartial: shadow.settings.isPartial,
  }
  const isAsSeeded = changes.wanted.length + changes.gone.length === 0 && !changes.renew
  const [{ tree, failed }, ignored] = await Promise.all([
    isAsSeeded && seedTree !== null ? { tree: seedTree, failed: [] } : throughIndex(place, changes),
    repository && !found.rulesChanged ? ignoredAmong(place, sorted.deleted) : [],
  ])
  return {
    indexTree: tree,
    tree,
    differsBy: '',
    differing: [],
    missing: [...missing, ...failed],
    rules,
    absent: [...new Set([...found.absent, ...ignored])],
    mayHaveLinks: mayHaveLinks(place.env.GIT_INDEX_FILE ?? ''),
  }
}

interface Scanned {
  readonly found: Scan
  readonly seed: Seed | null
  /** To be hashed whatever git believes of them. */
  readonly converted: readonly string[]
  /** That of the seed as it is, where nothing has changed. */
  readonly tree: string | null
}

const scanKept = async (scanning: () => Promise<Scan>): Promise<Scanned> => ({
  found: await scanning(),
  seed: null,
  converted: [],
  tree: null,
})

// Looking at the files takes longest, and most seeds can be taken as they are: so that starts at once.
async function scanSeeded(
  shadow: Shadow,
  { root, repository }: Project,
  place: GitPlace,
  scanning: () => Promise<Scan>,
): Promise<Scanned> {
  const early = Promise.all([scanning(), treeOf(place, shadow.settings.isPartial)])
  early.catch(() => {})
  const seed = await readSeed(place, root, () => early)
  const [[found, tree], converted] = await Promise.all([
    seed.wasBlind ? scanning().then((again) => [again, null] as const) : early,
    repository ? convertedPaths(place, root, repository, shadow.settings, seed.entries) : [],
  ])
  return { found, seed, converted, tree }
}

// What a sparse checkout leaves out is only known to the person's own index: when that changed, ours starts again.
const isSparse = ({ repository }: Project): boolean =>
  repository !== null && existsSync(join(repository.gitDir, 'info', 'sparse-checkout'))

interface Sorted {
  readonly wanted: readonly string[]
  /** Those of them that are not there. */
  readonly deleted: readonly string[]
  /** Files whose paths git would not take any more: a directory stands there now, or they lie beyond a link. */
  readonly gone: readonly string[]
  readonly missing: readonly Missing[]
}

async function sortOut(root: string, found: readonly string[], largest: number): Promise<Sorted> {
  const wanted: string[] = []
  const deleted: string[] = []
  const gone: string[] = []
  const missing: Missing[] = []
  const isBeyond = beyondLinks(root)
  const looks = await lookAll(root, found)
  const beyond = await eachOf(found, isBeyond)
  let bytes = 0
  for (const [i, path] of found.entries()) {
    const there = looks[i]
    if (path.endsWith('/')) missing.push({ path: toText(path.slice(0, -1)), why: 'nested repository' })
    else if (beyond[i] || there?.isDirectory()) {
      gone.push(path)
      if (await lookAt(root, `${path}/.git`)) missing.push({ path: toText(path), why: 'nested repository' })
    } else if (there?.isFile() && there.size > largest) missing.push({ path: toText(path), why: 'too large' })
    else {
      wanted.push(path)
      if (!there) deleted.push(path)
      bytes += there?.size ?? 0
    }
  }
  mustBeBearable(root, wanted.length, bytes)
  return { wanted, deleted, gone, missing: missing.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }
}

// Somebody's whole home, or a data set that nobody ignored: a copy of it is not what they want.
function mustBeBearable(root: string, files: number, bytes: number): void {
  if (files <= most.files && bytes <= most.bytes) return
  const size = `${files.toLocaleString('en')} new files, ${Math.ceil(bytes / 2 ** 20).toLocaleString('en')} MB`
  throw new BoughError(
    'snapshot_failed',
    `There is too much to capture in ${root}: ${size}. Ignore what is not yours in .gitignore.`,
  )
}
