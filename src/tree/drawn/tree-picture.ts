import { ageOf } from '../age.ts'
import type { TreeRow } from '../forest.ts'
import { shortID } from '../ids.ts'
import { plainLine } from '../plain-text.ts'
import { costWords } from '../usage-words.ts'
import { cellsOf, cutToCells } from './cells.ts'
import { forkWords } from './fork-words.ts'
import type { Paint } from './paint.ts'

export interface PictureOptions {
  readonly now: number
  /** Lines are cut to it; null cuts only titles that are very long. */
  readonly columns: number | null
  readonly paint: Paint
  /** The session that is marked as the one somebody is in. */
  readonly currentID?: string
}

const stepCells = 3
const widthForText = 60
const smallestTitle = 16
const widestTitle = 80
const columnsWhenUncut = 120

/** Draws sessions as a tree, one line each. Rows come depth first; thousands of them, nested thousands deep, are fine. */
export function drawTree(rows: readonly TreeRow[], options: PictureOptions): readonly string[] {
  const columns = options.columns ?? columnsWhenUncut
  const deepest = Math.max(2, Math.floor((columns - widthForText) / stepCells))
  const branches = drawBranches(rows, deepest)
  const parts = markParts(rows)
  return rows.map((row, i) => drawRow(row, branches[i] ?? '', parts[i] ?? null, options))
}

// Which part a session has in its channel. Main is marked only in a tree with forks that come back to it.
function markParts(rows: readonly TreeRow[]): readonly (string | null)[] {
  const roots: number[] = []
  let root = -1
  for (const { depth } of rows) roots.push(depth === 0 ? ++root : root)
  const withForks = new Set(rows.flatMap(({ fork }, i) => (fork ? [roots[i]] : [])))
  return rows.map(({ fork, isMain }, i) => {
    const main = isMain && withForks.has(roots[i]) ? ['main'] : []
    return [...main, ...(fork ? [forkWords(fork)] : [])].join(', ') || null
  })
}

// From the last row up: `open[level]` tells that a sibling at that level follows further down.
function drawBranches(rows: readonly TreeRow[], deepest: number): readonly string[] {
  const open: boolean[] = []
  const branches: string[] = []
  for (const { depth } of rows.toReversed()) {
    branches.push(drawBranch(open, depth, deepest))
    open.length = depth
    open[depth] = true
  }
  return branches.toReversed()
}

// Past the deepest level that fits, the number of the level stands for its lines.
function drawBranch(open: readonly boolean[], depth: number, deepest: number): string {
  if (depth === 0) return ''
  const shown = Math.min(depth, deepest)
  let branch = ''
  for (let level = 1; level < shown; level++) branch += open[level] ? '│  ' : '   '
  if (depth > deepest) return `${branch}… depth ${depth} `
  return `${branch}${open[depth] ? '├─ ' : '└─ '}`
}

function drawRow(
  row: TreeRow,
  branch: string,
  part: string | null,
  { now, columns, paint, currentID }: PictureOptions,
): string {
  const facts = row.deleted ? [shortID(row.id), 'deleted'] : factsOf(row, part, now)
  const details = facts.join(' · ')
  const mark = row.id === currentID ? '● ' : ''
  const room = columns === null ? Infinity : columns - cellsOf(branch) - cellsOf(mark) - 2
  const title = cutToCells(
    row.deleted ? '(deleted)' : plainLine(row.title),
    columns === null ? widestTitle : Math.max(smallestTitle, room - cellsOf(details)),
  )
  const shownTitle = row.deleted ? paint('dim', title) : paint('bold', title)
  const shownDetails = cutToCells(details, room - cellsOf(title))
  return `${paint('dim', branch)}${mark}${shownTitle}  ${paint(isRunning(row) ? 'yellow' : 'dim', shownDetails)}`
}

function factsOf(row: TreeRow, part: string | null, now: number): string[] {
  const messages = `${row.messages} ${row.messages === 1 ? 'message' : 'messages'}`
  const cost = costWords(row.cost)
  return [
    shortID(row.id),
    ...(part === null ? [] : [part]),
    ...(row.archived ? ['archived'] : []),
    plainLine(row.agent),
    messages,
    ...(cost === '' ? [] : [cost]),
    isRunning(row) ? 'running' : ageOf(row.updated, now),
  ]
}

const isRunning = (row: TreeRow): boolean => row.state === 'running' && !row.deleted
