import fc from 'fast-check'
import { testRow } from '../../../tree/drawn/test-session.ts'
import { forestOf, type TreeRow } from '../../../tree/forest.ts'
import type { SessionID } from '../../../tree/ids.ts'
import type { KeptRow } from '../fold.ts'

/** Rows depth first, each named by its place in the list; `parents` are places of earlier ones, or -1. */
export function rowsOf(
  parents: readonly number[],
  facts: (i: number) => Partial<TreeRow> = () => ({}),
): readonly TreeRow[] {
  const sessions = parents.map((parent, i) => ({
    ...testRow(nameOf(i), 0, { title: `S${i}`, kind: parent === -1 ? 'root' : 'branch', ...facts(i) }),
    parentID: parent === -1 ? null : idOf(parent),
  }))
  return forestOf(sessions)
}

const nameOf = (i: number): string => String(i).padStart(6, '0')

export const idOf = (i: number): SessionID => testRow(nameOf(i), 0).id

/** Any forest: deep ones and broad ones. */
export const parentLists: fc.Arbitrary<readonly number[]> = fc
  .array(fc.tuple(fc.nat(), fc.constantFrom('root', 'last', 'any', 'any', 'last')), { maxLength: 60 })
  .map((wishes) =>
    wishes.map(([chance, how], i) => (how === 'root' || i === 0 ? -1 : how === 'last' ? i - 1 : chance % i)),
  )

export const allFound = (rows: readonly TreeRow[]): readonly KeptRow[] =>
  rows.map((row) => ({ row, isFound: true }))
