import { ageOf } from '../../tree/age.ts'
import { cellsOf, cutToCells, padToCells } from '../../tree/drawn/cells.ts'
import type { TableOptions } from '../../tree/drawn/session-table.ts'
import { shortID } from '../../tree/ids.ts'
import type { Adoptable } from '../../tree/native.ts'
import { plainLine } from '../../tree/plain-text.ts'
import { bytesWord } from '../bytes.ts'

const gap = '  '
const smallestTitle = 12

interface Row {
  readonly id: string
  readonly title: string
  readonly agent: string
  readonly size: string
  readonly age: string
  readonly here: string
}

const heads: Row = { id: 'id', title: 'title', agent: 'agent', size: 'size', age: 'used', here: '' }

/** What agents keep, as a table. The title gives way when the terminal is narrow. */
export function drawAdoptable(
  found: readonly Adoptable[],
  { now, columns, paint }: TableOptions,
): readonly string[] {
  const length = shortestUnique(found.map(({ nativeID }) => nativeID))
  const rows = found.map(({ nativeID, title, agent, bytes, updated, sessionID }) => ({
    id: nativeID.slice(0, length),
    title: plainLine(title),
    agent,
    size: bytes === null ? '' : bytesWord(bytes),
    age: ageOf(updated, now),
    here: sessionID === null ? '' : `is ${shortID(sessionID)} here`,
  }))
  const width = (of: keyof Row): number =>
    Math.max(cellsOf(heads[of]), ...rows.map((row) => cellsOf(row[of])))
  const others = (['id', 'agent', 'size', 'age', 'here'] as const).reduce(
    (sum, of) => sum + width(of) + gap.length,
    0,
  )
  const titleWidth =
    columns === null ? width('title') : Math.min(width('title'), Math.max(smallestTitle, columns - others))
  const draw = (row: Row): string =>
    [
      padToCells(row.id, width('id')),
      padToCells(cutToCells(row.title, titleWidth), titleWidth),
      padToCells(row.agent, width('agent')),
      row.size.padStart(width('size')),
      padToCells(row.age, width('age')),
      row.here,
    ]
      .join(gap)
      .trimEnd()
  return [paint('dim', draw(heads)), ...rows.map(draw)]
}

/** How many characters of ids tell them apart; Codex's begin with the time. */
function shortestUnique(ids: readonly string[]): number {
  const longest = Math.max(0, ...ids.map((id) => id.length))
  for (let length = 8; length < longest; length++)
    if (new Set(ids.map((id) => id.slice(0, length))).size === ids.length) return length
  return longest
}
