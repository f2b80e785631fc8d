import type { TreeRow } from '../../tree/forest.ts'
import type { SessionID } from '../../tree/ids.ts'

/** Which project each session is of: the directory that its tree began in, also where it works in a worktree made from there. */
export function projectsOf(rows: readonly TreeRow[]): ReadonlyMap<SessionID, string> {
  const roots: TreeRow[] = []
  let root: TreeRow | undefined
  for (const row of rows) {
    if (row.depth === 0 || !root) root = row
    roots.push(root)
  }
  // Somebody may also have begun a session in a worktree: that is of the project, too.
  const origins = new Map<string, string>()
  for (const [i, { directory, workspaceID }] of rows.entries()) {
    const origin = roots[i]?.directory
    if (workspaceID !== null && origin !== undefined && origin !== directory) origins.set(directory, origin)
  }
  const homeOf = (directory: string): string => {
    const seen = new Set<string>()
    let home = directory
    for (let next = origins.get(home); next !== undefined && !seen.has(next); next = origins.get(home)) {
      seen.add(next)
      home = next
    }
    return home
  }
  return new Map(rows.map((row, i) => [row.id, homeOf(roots[i]?.directory ?? row.directory)]))
}
