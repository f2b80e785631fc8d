import type { SessionID } from './ids.ts'
import type { Session } from './session.ts'

/** A session in a drawn tree: rows come depth first, so a row's parent is the nearest one above with a smaller depth. */
export interface TreeRow extends Session {
  readonly depth: number
}

/** Orders sessions as a forest by `parentID`, oldest first. A tombstone without living descendants is left out. */
export function forestOf(sessions: readonly Session[]): readonly TreeRow[] {
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
  const stack = (children.get(null) ?? []).toReversed().map((session) => ({ ...session, depth: 0 }))
  for (let row = stack.pop(); row; row = stack.pop()) {
    rows.push(row)
    for (const child of (children.get(row.id) ?? []).toReversed())
      stack.push({ ...child, depth: row.depth + 1 })
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
