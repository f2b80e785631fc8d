import { basename } from 'node:path'
import type { TreeRow } from '../../tree/forest.ts'
import type { KeptRow, LineKey, ProjectKey, TreeLine } from './fold.ts'

export interface ProjectLook {
  projectOf(row: TreeRow): string
  /** The project that the person comes from: it stands on top. */
  readonly own: string | null
  readonly folded: ReadonlySet<LineKey>
  /** The lines of sessions of one project. */
  linesOf(kept: readonly KeptRow[]): readonly TreeLine[]
}

export const projectKey = (directory: string): ProjectKey => `project:${directory}`

/** Sessions of many projects, those of each together under a heading; the others come by name after the person's own. */
export function projectLines(
  kept: readonly KeptRow[],
  { projectOf, own, folded, linesOf }: ProjectLook,
): readonly TreeLine[] {
  const byProject = Map.groupBy(kept, ({ row }) => projectOf(row))
  return [...byProject]
    .toSorted(([a], [b]) => Number(b === own) - Number(a === own) || byName(a, b))
    .flatMap(([directory, rows]) => {
      const key = projectKey(directory)
      const isFolded = folded.has(key)
      const count = rows.filter(({ isFound }) => isFound).length
      const hidden = isFolded ? rows.length : 0
      const heading = { kind: 'project', key, hanging: null, hidden, isFolded, directory, count } as const
      return isFolded ? [heading] : [heading, ...linesOf(rows)]
    })
}

const byName = (a: string, b: string): number =>
  basename(a).localeCompare(basename(b), 'en') || (a < b ? -1 : 1)
