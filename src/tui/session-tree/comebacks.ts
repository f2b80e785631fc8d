import type { TreeRow } from '../../tree/forest.ts'
import type { SessionID } from '../../tree/ids.ts'

/** All sessions of trees in which some fork comes back. */
export function withComebacks(rows: readonly TreeRow[]): ReadonlySet<SessionID> {
  const found = new Set<SessionID>()
  let begin = 0
  for (let i = 1; i <= rows.length; i++) {
    if (i < rows.length && rows[i]?.depth !== 0) continue
    const tree = rows.slice(begin, i)
    if (tree.some(({ fork }) => fork !== null)) for (const { id } of tree) found.add(id)
    begin = i
  }
  return found
}
