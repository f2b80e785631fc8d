import { plainLine } from '../../tree/plain-text.ts'
import { backtrackFooter, backtrackHeader } from '../backtrack/bars.ts'
import { pick } from '../backtrack/look-back.ts'
import { below, cut, ends, type Frame, filled, linesOnly, type Size, widthOf } from '../screen/frame.ts'
import type { Theme } from '../screen/theme.ts'
import { forkBar } from './fork-bar.ts'
import { replyLine, runsLine, statusLine } from './status-line.ts'
import type { Tab } from './tab.ts'

/** How many of the things that wait are named. */
const mostWaiting = 3

/** Rows for what is below the transcript and a line of it: where there are fewer, what is docked is worth more than the composer. */
const leastRows = 7

export interface Around {
  /** What the person is to know now. */
  readonly told: readonly string[]
  /** What lies between the transcript and the composer. */
  readonly dock: Frame
}

/** All of a tab: the bar of its fork, the transcript, the composer, the status. */
export function drawTab(tab: Tab, { columns, rows }: Size, theme: Theme, around: Around): Frame {
  const { told, dock } = around
  const isLookingBack = tab.backtrack.on
  const header = isLookingBack ? backtrackHeader(tab, columns) : forkBar(tab, columns, theme)
  const isCrowded = dock.lines.length > 0 && rows - dock.lines.length < leastRows
  const composer = isCrowded ? [] : tab.composer.draw(columns, rows)
  const foot = isLookingBack ? backtrackFooter(tab, columns) : composer
  const bottom = [
    ...workingLines(tab, columns, theme),
    ...waitingLines(tab, columns, theme),
    ...replyLine(tab, columns, theme),
    ...foot,
    ...told.map((line) => filled(line, columns)),
    statusLine(tab, columns, theme),
  ]
  const runs = runsLine(tab, columns, theme)
  const taken = header.lines.length + runs.lines.length + dock.lines.length + bottom.length
  const height = Math.max(1, rows - taken)
  const { isAtEnd } = tab.transcript
  const transcript = tab.transcript.draw({ columns, rows: height }, theme, tab.backtrack, (id) =>
    pick(tab, id),
  )
  // It may have come to its end in a window that is taller by now.
  if (isAtEnd !== tab.transcript.isAtEnd) return drawTab(tab, { columns, rows }, theme, around)
  return below(header, transcript, runs, dock, linesOnly(...bottom))
}

// The latest: one of them can be taken back.
function waitingLines({ talking, composer }: Tab, columns: number, { paint }: Theme): readonly string[] {
  const last = talking.waiting.findLast(({ isTyped }) => isTyped)
  return talking.waiting.slice(-mostWaiting).map((each) => {
    const right = each === last && composer.isEmpty ? ' ↑ takes it back ' : ''
    const text = cut(` ⋯ ${plainLine(each.text)}`, columns - widthOf(right))
    return paint('dim', ends(text, right, columns))
  })
}

function workingLines(
  { conversation, transcript, ui }: Tab,
  columns: number,
  { paint }: Theme,
): readonly string[] {
  const lines: string[] = []
  const key = ui.panel ? '' : ui.keys.wordsFor('scroll.end')
  if (!transcript.isAtEnd)
    lines.push(paint('dim', filled(` ↓ more below${key === '' ? '' : ` (${key})`}`, columns)))
  const { runningSince } = conversation
  if (runningSince !== null) {
    const seconds = Math.floor((ui.now() - runningSince) / 1000)
    lines.push(paint('accent', cut(` ● working${seconds > 2 ? ` · ${seconds} s` : ''}`, columns)))
  }
  return lines
}
