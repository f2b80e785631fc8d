import { stripTerminalSequences } from '@earendil-works/pi-tui'
import type { Panel } from './panels/panel.ts'
import { wholePanel } from './panels/whole-panel.ts'
import { over } from './screen/box.ts'
import { below, cut, emptyFrame, type Frame, linesOnly, type Size, tall } from './screen/frame.ts'
import type { Theme, Tone } from './screen/theme.ts'
import { tooSmall } from './screen/too-small.ts'
import { wrapped } from './screen/wrap.ts'
import { drawTab } from './tab/draw-tab.ts'
import type { Tab } from './tab/tab.ts'
import { tabBar } from './tab/tab-bar.ts'

/** What the person is to know, until the next key. */
export interface Told {
  readonly text: string
  readonly tone: Tone
}

/** All that can be seen. */
export interface Seen {
  readonly theme: Theme
  readonly tabs: readonly Tab[]
  /** The one that is shown. */
  readonly tab: Tab
  /** What lies over it, the lowest first. */
  readonly panels: readonly Panel[]
  readonly told: Told | null
  showTab(tab: Tab): void
}

/** The whole screen: the tabs, the one that is shown or what covers it, and the boxes over that. */
export function drawApp({ theme, tabs, tab, panels, told, showTab }: Seen, size: Size): Frame {
  const none = tooSmall(size)
  if (none) return none
  const { columns, rows } = size
  const bar = tabBar(tabs, tab, columns, theme, showTab)
  const room = { columns, rows: rows - 1 }
  const whole = panels.findLast(({ shape }) => shape === 'whole')
  const notes = [
    ...panels.flatMap((each) => (each.shape === 'bar' ? each.draw({ columns, rows: 1 }).lines : [])),
    ...(told ? toldLines(told, room, theme) : []),
  ]
  const above = panels.slice(whole ? panels.indexOf(whole) + 1 : 0)
  const inside = { columns, rows: rows - 2 }
  const boxes = above
    .filter(({ shape }) => shape === 'box')
    .map((panel) => ({ panel, frame: panel.draw(inside) }))
  // One that shows nothing yet takes keys, but not the eye.
  const unseen = boxes.filter(({ frame }) => frame.lines.length === 0).map(({ panel }) => panel)
  tab.composer.isFocused = panels.every((each) => each.isAside || unseen.includes(each))
  const docked = above.findLast(({ shape }) => shape === 'docked')
  const dock = docked?.draw({ columns, rows: Math.floor(rows * 0.4) }) ?? emptyFrame
  const left = { columns, rows: room.rows - dock.lines.length }
  const body = whole
    ? below(wholePanel(whole, left, notes), dock)
    : drawTab(tab, room, theme, { told: notes, dock })
  const base = below(whole ? linesOnly(...bar.lines) : bar, tall(body, room.rows))
  const veil = (line: string): string => theme.paint('dim', stripTerminalSequences(line))
  return boxes.reduce(
    (below, { panel, frame }) => over(below, frame, size, panel.isAside ? null : veil),
    base,
  )
}

// In full where that takes three lines at most, fewer on a low screen.
function toldLines({ text, tone }: Told, { columns, rows }: Size, { paint }: Theme): readonly string[] {
  const most = Math.max(1, Math.min(3, Math.floor(rows / 5) - 1))
  const lines = wrapped(text, columns - 2)
  const last = cut(lines.slice(most - 1).join(' '), columns - 2)
  return [...lines.slice(0, most - 1), ...(lines.length < most ? [] : [last])].map((line) =>
    paint(tone, ` ${line}`),
  )
}
