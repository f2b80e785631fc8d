import type { TreeRow } from '../../tree/forest.ts'
import type { SessionID } from '../../tree/ids.ts'
import { graphOf, type Hanging, hang } from './lanes.ts'

/** What names a line: a session, or the project that stands over some. */
export type LineKey = SessionID | ProjectKey
export type ProjectKey = `project:${string}`

/** What the person has folded and opened. */
export interface Folding {
  /** Sessions whose descendants are hidden, and projects whose sessions are. */
  readonly folded: ReadonlySet<LineKey>
  /** Runs of sessions that are shown one by one, each by its first. */
  readonly opened: ReadonlySet<SessionID>
}

export const nothingFolded: Folding = { folded: new Set(), opened: new Set() }

/** A row with whether it is one that was looked for, or only leads to one. */
export interface KeptRow {
  readonly row: TreeRow
  readonly isFound: boolean
}

/** One line of the picture. */
export type TreeLine = SessionLine | RunLine | ProjectLine

interface Hung {
  /** The session, or the first one of a run. */
  readonly key: SessionID
  /** Null for what begins a tree. */
  readonly hanging: Hanging | null
  /** How many sessions are not shown because of it. */
  readonly hidden: number
}

export interface SessionLine extends Hung, KeptRow {
  readonly kind: 'session'
  readonly isFolded: boolean
  /** Something is below it, shown or not. */
  readonly isForked: boolean
}

/** Sessions that follow one another, each the only fork of the one before: one line for all of them. */
export interface RunLine extends Hung {
  readonly kind: 'run'
}

/** The heading over the sessions of a project. */
export interface ProjectLine {
  readonly kind: 'project'
  readonly key: ProjectKey
  readonly hanging: null
  readonly hidden: number
  readonly isFolded: boolean
  readonly directory: string
  /** How many of its sessions are wanted. */
  readonly count: number
}

interface Standing {
  readonly i: number
  readonly hanging: Hanging | null
}

const none: readonly number[] = []

/** Fewer in a run are shown one by one: a line that stands for them would say less. */
const shortestRun = 2

/** The lines of a picture. `isDull` tells of a session that it may be one of a run; where it is absent no run is made. */
export function linesOf(
  kept: readonly KeptRow[],
  { folded, opened }: Folding,
  isDull: (row: TreeRow) => boolean = () => false,
): readonly (SessionLine | RunLine)[] {
  const { parents, children, roots } = graphOf(kept.map(({ row }) => row))
  const below = (i: number): readonly number[] => children.get(i) ?? none
  // In the middle of a run: the only fork of its parent, and forked once.
  const between = kept.map(
    ({ row }, i) =>
      below(i).length === 1 && below(parents[i] ?? -1).length === 1 && !folded.has(row.id) && isDull(row),
  )
  const runFrom = (first: number): readonly number[] => {
    if (!between[first] || between[parents[first] ?? -1]) return none
    const run: number[] = []
    for (let i = first; between[i]; i = below(i)[0] ?? -1) run.push(i)
    return run
  }

  // With a stack and not by recursion: forks nest thousands deep.
  const lines: (SessionLine | RunLine)[] = []
  const stack: Standing[] = roots.toReversed().map((i) => ({ i, hanging: null }))
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { i, hanging } = next
    const found = kept[i]
    if (!found) continue
    const { row, isFound } = found
    const key = row.id
    const run = opened.has(key) ? none : runFrom(i)
    if (run.length >= shortestRun) {
      lines.push({ kind: 'run', key, hanging, hidden: run.length })
      for (const after of below(run.at(-1) ?? i)) stack.push({ i: after, hanging: hang(true, hanging) })
      continue
    }
    const forks = below(i)
    const isForked = forks.length > 0
    const isFolded = isForked && folded.has(key)
    const hidden = isFolded ? descendantsOf(kept, i) : 0
    lines.push({ kind: 'session', key, hanging, hidden, isFolded, isForked, row, isFound })
    if (isFolded) continue
    const last = forks.at(-1)
    for (const child of forks.toReversed()) stack.push({ i: child, hanging: hang(child === last, hanging) })
  }
  return lines
}

function descendantsOf(kept: readonly KeptRow[], i: number): number {
  const depth = kept[i]?.row.depth ?? 0
  let end = i + 1
  while ((kept[end]?.row.depth ?? -1) > depth) end++
  return end - i - 1
}
