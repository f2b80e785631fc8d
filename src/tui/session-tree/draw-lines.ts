import { basename } from 'node:path'
import { ageOf } from '../../tree/age.ts'
import type { TreeRow } from '../../tree/forest.ts'
import type { SessionID } from '../../tree/ids.ts'
import { plainLine } from '../../tree/plain-text.ts'
import { usageWords } from '../../tree/usage-words.ts'
import { filled, widthOf } from '../screen/frame.ts'
import type { Theme } from '../screen/theme.ts'
import type { LineKey, ProjectLine, RunLine, SessionLine, TreeLine } from './fold.ts'
import { leftOut, prefixOf } from './lanes.ts'
import { kindWords, sessionsWord, shortState, stateTone, stateWords } from './row-words.ts'
import { shortPath } from './short-path.ts'

export interface LinesLook {
  readonly columns: number
  readonly theme: Theme
  readonly now: number
  readonly selected: LineKey | null
  /** Of the tab that one comes from. */
  readonly hereID: SessionID
  readonly marked: readonly SessionID[]
  readonly asked: ReadonlySet<SessionID>
  isMain(row: TreeRow): boolean
}

const gap = 2
/** So much of a title is shown before anything else is. */
const leastTitle = 24
/** Cells of the mark before the picture. */
const margin = 2

type Column = 'kind' | 'state' | 'agent' | 'age' | 'cost'
type Length = 'full' | 'short' | 'none'
type Lengths = Readonly<Record<Column, Length>>

const columnNames: readonly Column[] = ['kind', 'state', 'agent', 'age', 'cost']
const allFull: Lengths = { kind: 'full', state: 'full', agent: 'full', age: 'full', cost: 'full' }
/** How room is made for titles, step by step. */
const givingWay: readonly (readonly [Column, Length])[] = [
  ['age', 'short'],
  ['state', 'short'],
  ['cost', 'none'],
  ['agent', 'none'],
  ['age', 'none'],
  ['kind', 'none'],
  ['state', 'none'],
]

interface Layout {
  readonly lengths: Lengths
  readonly widths: readonly number[]
  /** For the picture and the title. */
  readonly room: number
  readonly mostLanes: number
  /** Lanes at the left that no line has room for. */
  readonly left: number
}

/** Lines of the picture, each exactly as wide as there is room. What has no room is left out, the title last. */
export function drawLines(lines: readonly TreeLine[], look: LinesLook): readonly string[] {
  const layout = layoutOf(lines, look)
  return lines.map((line) =>
    line.kind === 'project' ? drawProject(line, look) : drawLine(line, layout, look),
  )
}

/** Columns are shortened and left out until the titles have the room that they need, or that they may ask for. */
function layoutOf(lines: readonly TreeLine[], look: LinesLook): Layout {
  const { columns } = look
  const mostLanes = mostLanesIn(columns - margin - leastTitle - 1)
  const left = leftOut(
    lines.filter(({ kind }) => kind !== 'project').map(({ hanging }) => hanging),
    mostLanes,
  )
  const mostAsked = Math.max(leastTitle, Math.floor(columns * 0.4))
  const asked = lines.map((line) =>
    line.kind === 'project'
      ? 0
      : widthOf(prefixOf(line.hanging, ' ', mostLanes, left)) +
        1 +
        Math.min(widthOf(titleOf(line)), mostAsked),
  )
  const needed = Math.max(0, ...asked)
  let layout = layoutWith(allFull)
  for (const [column, length] of givingWay) {
    if (layout.room >= needed) break
    layout = layoutWith({ ...layout.lengths, [column]: length })
  }
  return layout

  function layoutWith(lengths: Lengths): Layout {
    const facts = lines.map((line) => factsOf(line, lengths, look))
    const widths = columnNames.map((_, i) => Math.max(0, ...facts.map((each) => widthOf(each[i] ?? ''))))
    const room = widths.reduce((left, width) => left - (width && width + gap), columns - margin)
    return { lengths, widths, room, mostLanes, left }
  }
}

// Half of the room beside titles is for columns; but a few lanes say more than those.
const mostLanesIn = (room: number): number =>
  Math.max(1, Math.floor(room / 4), Math.min(6, Math.floor((room - 1) / 2)))

/** What stands in each column. */
function factsOf(line: TreeLine, lengths: Lengths, { now, asked, isMain }: LinesLook): readonly string[] {
  if (line.kind !== 'session' || line.row.deleted) return []
  const { row } = line
  const isMainHere = isMain(row)
  const kind = [
    isMainHere && 'main',
    !(isMainHere && row.kind === 'root') && kindWords[row.kind],
    row.archived && 'archived',
  ]
  const age = ageOf(row.updated, now)
  const state = stateWords(row, asked.has(row.id))
  const words: Readonly<Record<Column, string>> = {
    kind: kind.filter(Boolean).join(' · '),
    state: lengths.state === 'short' ? shortState(state) : state,
    agent: plainLine(row.agent),
    age: lengths.age === 'short' ? shortAge(age) : age,
    cost: usageWords(row.cost.own),
  }
  return columnNames.map((name) => (lengths[name] === 'none' ? '' : words[name]))
}

const shortAge = (age: string): string =>
  age === 'yesterday' ? '1d' : age.replace(/^(\d+) (\w).* ago$/, '$1$2')

/** The heading of a project. */
function drawProject({ key, directory, isFolded, count }: ProjectLine, look: LinesLook): string {
  const { columns, selected, theme } = look
  const { paint } = theme
  const name = `  ${isFolded ? '▸' : '▾'} ${plainLine(basename(directory) || directory)}`
  const many = ` · ${sessionsWord(count)}`
  const room = columns - widthOf(name) - widthOf(many) - gap
  const path = room < 8 ? '' : `${' '.repeat(gap)}${shortPath(directory, room)}`
  if (key === selected) return paint('selected', filled(name + many + path, columns))
  return filled(paint('strong', name) + paint('dim', many + path), columns)
}

function drawLine(
  line: SessionLine | RunLine,
  { lengths, widths, room, mostLanes, left }: Layout,
  look: LinesLook,
): string {
  const { selected, marked, columns, theme } = look
  const { paint } = theme
  const { hanging, key } = line
  const facts = factsOf(line, lengths, look)
  const mark = marked.includes(key) ? '✓ ' : '  '
  const prefix = prefixOf(hanging, glyphOf(line, look), mostLanes, left)
  const sign = lengths.state === 'none' ? signOf(line, look) : ''
  const text = filled(`${prefix} ${sign}${titleOf(line)}`, room)
  const cells = widths.map((width, i) => (width === 0 ? '' : ' '.repeat(gap) + filled(facts[i] ?? '', width)))
  const whole = filled(mark + text + cells.join(''), columns)
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

// Where there is no room for words, what needs somebody and what goes on can be told apart all the same.
function signOf(line: TreeLine, { asked }: LinesLook): string {
  if (line.kind !== 'session' || line.row.deleted) return ''
  if (asked.has(line.key)) return '? '
  return line.row.state === 'running' ? '… ' : ''
}

// Filled: the session that one comes from. A diamond begins a tree, so that lanes of two trees are not taken for one.
function glyphOf(line: SessionLine | RunLine, { hereID }: LinesLook): string {
  if (line.kind === 'run') return '┆'
  if (line.hanging === null) return line.key === hereID ? '◆' : '◇'
  return line.key === hereID ? '●' : '○'
}

function titleOf(line: SessionLine | RunLine): string {
  if (line.kind === 'run') return `▸ ${sessionsWord(line.hidden)} in a row`
  const { row, isFolded, hidden } = line
  const labels = row.labels.map((label) => ` #${plainLine(label)}`).join('')
  const title = row.deleted ? '(deleted)' : plainLine(row.title) + labels
  return isFolded ? `▸ +${hidden} ${title}` : title
}
