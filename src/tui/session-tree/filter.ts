import type { TreeRow } from '../../tree/forest.ts'
import { shortID } from '../../tree/ids.ts'
import type { SessionKind } from '../../tree/session.ts'
import type { KeptRow } from './fold.ts'

/** Which sessions the person wants to see. */
export interface TreeWish {
  /** Of one project; null for all. */
  readonly project: string | null
  readonly kind: SessionKind | null
  readonly agent: string | null
  /** Words that all stand in what is known of a session. */
  readonly text: string
  readonly archived: boolean
}

export const noWish: TreeWish = { project: null, kind: null, agent: null, text: '', archived: false }

/** What is asked of the rows beside themselves. */
export interface RowFacts {
  projectOf(row: TreeRow): string
  /** All that is known of a session, in small letters. */
  wordsOf(row: TreeRow): string
}

/** Something is looked for: what is found is shown wherever it lies. */
export const isLooking = ({ kind, agent, text }: TreeWish): boolean =>
  kind !== null || agent !== null || text.trim() !== ''

/** The rows that are wanted, with those that lead to them; depth first as they came. */
export function keptRows(
  rows: readonly TreeRow[],
  wish: TreeWish,
  { projectOf, wordsOf }: RowFacts,
): readonly KeptRow[] {
  const words = wish.text.toLowerCase().split(/\s+/).filter(Boolean)
  const isFound = (row: TreeRow): boolean => {
    if (row.deleted || (row.archived && !wish.archived)) return false
    if (wish.kind !== null && row.kind !== wish.kind) return false
    if (wish.agent !== null && row.agent !== wish.agent) return false
    if (words.length === 0) return true
    const known = wordsOf(row)
    return words.every((word) => known.includes(word) || namesID(row, word))
  }
  // From the last one up: the row kept after this one is below it when it is deeper.
  const kept: KeptRow[] = []
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i]
    if (!row || (wish.project !== null && projectOf(row) !== wish.project)) continue
    const found = isFound(row)
    if (found || (kept.at(-1)?.row.depth ?? -1) > row.depth) kept.push({ row, isFound: found })
  }
  return kept.reverse()
}

// Ids are random letters: one is found by its beginning only, or a short word would find sessions by accident.
const namesID = ({ id }: TreeRow, word: string): boolean =>
  word.startsWith('ses_') ? id.startsWith(word) : word.length >= shortestID && shortID(id).startsWith(word)

const shortestID = 4

const kinds: readonly (SessionKind | null)[] = [null, 'root', 'branch', 'interactive', 'background']

/** The next kind to look for; after the last all of them. */
export const nextKind = (kind: SessionKind | null): SessionKind | null => after(kinds, kind)

/** The same with agents. */
export const nextAgent = (agents: readonly string[], agent: string | null): string | null =>
  after([null, ...agents], agent)

const after = <T>(all: readonly T[], one: T): T | null => all[(all.indexOf(one) + 1) % all.length] ?? null
