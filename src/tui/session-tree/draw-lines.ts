import { stripVTControlCharacters } from 'node:util'
import { ageOf } from '../../tree/age.ts'
import type { TreeRow } from '../../tree/forest.ts'
import type { SessionID } from '../../tree/ids.ts'
import { plainLine } from '../../tree/plain-text.ts'
import { usageWords } from '../../tree/usage-words.ts'
import { filled, widthOf } from '../screen/frame.ts'
import type { Theme } from '../screen/theme.ts'
import type { SessionLine, TreeLine } from './fold.ts'
import { prefixOf } from './lanes.ts'
import { kindWords, sessionsWord, stateTone, stateWords } from './row-words.ts'

export interface LinesLook {
  readonly columns: number
  readonly theme: Theme
  readonly now: number
  readonly selected: SessionID | null
  /** Of the tab that one comes from. */
  readonly hereID: SessionID
  readonly marked: readonly SessionID[]
  readonly asked: ReadonlySet<SessionID>
  isMain(row: TreeRow): boolean
}

const gap = 2
const smallestTitle = 16
/** Cells of the mark before the picture. */
const margin = 2

type Column = 'kind' | 'state' | 'agent' | 'age' | 'cost'

const columnNames: readonly Column[] = ['kind', 'state', 'agent', 'age', 'cost']
/** Those that are left out first where there is little room. */
const givingWay: readonly Column[] = ['cost', 'agent', 'age', 'kind', 'state']

/** Lines of the picture, each exactly as wide as there is room. What does not fit is left out, the title last. */
export function drawLines(lines: readonly TreeLine[], look: LinesLook): readonly string[] {
  const { columns } = look
  const facts = lines.map((line) => (line.kind === 'session' && !line.row.deleted ? factsOf(line, look) : []))
  const widths = columnNames.map((_, i) => Math.max(0, ...facts.map((each) => widthOf(each[i] ?? ''))))
  const room = (): number => widths.reduce((left, width) => left - (width && width + gap), columns - margin)
  for (const name of givingWay) if (room() < smallestTitle) widths[columnNames.indexOf(name)] = 0
  const mostLanes = Math.max(1, Math.floor((columns - margin - smallestTitle) / 4))
  return lines.map((line, i) => drawLine(line, facts[i] ?? [], widths, room(), mostLanes, look))
}

/** What stands in each column. */
function factsOf({ row }: SessionLine, { now, asked, isMain }: LinesLook): readonly string[] {
  const isMainHere = isMain(row)
  const kind = [
    isMainHere && 'main',
    !(isMainHere && row.kind === 'root') && kindWords[row.kind],
    row.archived && 'archived',
  ]
  return [
    kind.filter(Boolean).join(' · '),
    stateWords(row, asked.has(row.id)),
    plainLine(row.agent),
    ageOf(row.updated, now),
    usageWords(row.cost.own),
  ]
}

function drawLine(
  line: TreeLine,
  facts: readonly string[],
  widths: readonly number[],
  room: number,
  mostLanes: number,
  look: LinesLook,
): string {
  const { selected, marked, columns, theme } = look
  const { paint } = theme
  const { hanging, key } = line
  const mark = marked.includes(key) ? '✓ ' : '  '
  const prefix = prefixOf(hanging, glyphOf(line, look), mostLanes)
  const text = even(`${prefix} ${titleOf(line)}`, room)
  const cells = widths.map((width, i) => (width === 0 ? '' : ' '.repeat(gap) + even(facts[i] ?? '', width)))
  const whole = even(mark + text + cells.join(''), columns)
  if (key === selected) return paint('selected', whole)
  if (line.kind === 'run' || !line.isFound || line.row.archived) return paint('dim', whole)
  const [kind = '', state = '', ...rest] = cells
  const shown = text.slice(prefix.length)
  return filled(
    paint('accent', mark) +
      paint('dim', prefix) +
      (key === look.hereID ? paint('strong', shown) : shown) +
      paint('dim', kind) +
      paint(stateTone(line.row, look.asked.has(key)), state) +
      paint('dim', rest.join('')),
    columns,
  )
}

// Filled: the session that one comes from. A diamond begins a tree, so that lanes of two trees are not taken for one.
function glyphOf(line: TreeLine, { hereID }: LinesLook): string {
  if (line.kind === 'run') return '┆'
  if (line.hanging === null) return line.key === hereID ? '◆' : '◇'
  return line.key === hereID ? '●' : '○'
}

function titleOf(line: TreeLine): string {
  if (line.kind === 'run') return `▸ ${sessionsWord(line.hidden)} in a row`
  const { row, isFolded, hidden } = line
  const labels = row.labels.map((label) => ` #${plainLine(label)}`).join('')
  const title = row.deleted ? '(deleted)' : plainLine(row.title) + labels
  return isFolded ? `▸ +${hidden} ${title}` : title
}

// What is cut ends with a code that would also end the tone of the whole line.
const even = (text: string, columns: number): string => stripVTControlCharacters(filled(text, columns))
