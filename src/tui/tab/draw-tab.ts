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

/** All of a tab: the bar of its fork, the transcript, the composer, the status. `told` is what the person is to know now. */
export function drawTab(tab: Tab, { columns, rows }: Size, theme: Theme, told: readonly string[]): Frame {
  const isLookingBack = tab.backtrack.on
  const header = isLookingBack ? backtrackHeader(tab, columns) : forkBar(tab, columns, theme)
  const foot = isLookingBack ? backtrackFooter(tab, columns) : tab.composer.draw(columns, rows)
  const bottom = [
    ...workingLines(tab, columns, theme),
    ...waitingLines(tab, columns, theme),
    ...replyLine(tab, columns, theme),
    ...foot,
    ...told.map((line) => filled(line, columns)),
    statusLine(tab, columns, theme),
  ]
  const runs = runsLine(tab, columns, theme)
  const height = Math.max(1, rows - header.lines.length - bottom.length - runs.lines.length)
  const { isAtEnd } = tab.transcript
  const transcript = tab.transcript.draw({ columns, rows: height }, theme, tab.backtrack, (id) =>
    pick(tab, id),
  )
  // It may have come to its end in a window that is taller by now.
  if (isAtEnd !== tab.transcript.isAtEnd) return drawTab(tab, { columns, rows }, theme, told)
  return below(header, transcript, runs, linesOnly(...bottom))
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
  if (!transcript.isAtEnd) lines.push(paint('dim', filled(' ↓ more below (Ctrl+End)', columns)))
  const { runningSince } = conversation
  if (runningSince !== null) {
    const seconds = Math.floor((ui.now() - runningSince) / 1000)
    lines.push(paint('accent', cut(` ● working${seconds > 2 ? ` · ${seconds} s` : ''}`, columns)))
  }
  return lines
}
