import type { SessionID } from './ids.ts'
import type { Session } from './session.ts'
import type { SideFork } from './side-fork.ts'

/** A session in a drawn tree: rows come depth first, so a row's parent is the nearest one above with a smaller depth. */
export interface TreeRow extends Session {
  readonly depth: number
  /** How it goes, of a fork that comes back; null for any other session. */
  readonly fork: SideFork | null
  /** Some channel returns to it when no fork is open there. */
  readonly isMain: boolean
}

/** What is known of forks that come back, and which sessions are main. */
export interface Comebacks {
  readonly forks?: readonly SideFork[]
  readonly mains?: ReadonlySet<SessionID>
}

/** Orders sessions as a forest by `parentID`, oldest first. A tombstone without living descendants is left out. */
export function forestOf(
  sessions: readonly Session[],
  { forks = [], mains = new Set() }: Comebacks = {},
): readonly TreeRow[] {
  const forkOf = new Map(forks.map((fork) => [fork.sessionID, fork]))
  const rowOf = (session: Session, depth: number): TreeRow => ({
    ...session,
    depth,
    fork: forkOf.get(session.id) ?? null,
    isMain: mains.has(session.id),
  })
  const byID = new Map(sessions.map((session) => [session.id, session]))
  const children = new Map<SessionID | null, Session[]>()
  for (const session of sessions.toSorted(byAge)) {
    const parentID = session.parentID !== null && byID.has(session.parentID) ? session.parentID : null
    const siblings = children.get(parentID)
    if (siblings) siblings.push(session)
    else children.set(parentID, [session])
  }

  // With a stack and not by recursion: forks nest thousands deep.
  const rows: TreeRow[] = []
  const stack = (children.get(null) ?? []).toReversed().map((session) => rowOf(session, 0))
  for (let row = stack.pop(); row; row = stack.pop()) {
    rows.push(row)
    for (const child of (children.get(row.id) ?? []).toReversed()) stack.push(rowOf(child, row.depth + 1))
  }
  return withoutBareTombstones(rows)
}

const byAge = (a: Session, b: Session): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

// From the last row up: a tombstone stays only when the row kept below it is its descendant.
function withoutBareTombstones(rows: readonly TreeRow[]): readonly TreeRow[] {
  const kept: TreeRow[] = []
  for (const row of rows.toReversed()) {
    const next = kept.at(-1)
    if (!row.deleted || (next !== undefined && next.depth > row.depth)) kept.push(row)
  }
  return kept.toReversed()
}
