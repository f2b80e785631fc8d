import { plainLine } from '../../tree/plain-text.ts'
import { type Area, cut, type Frame, filled, widthOf } from '../screen/frame.ts'
import type { Theme } from '../screen/theme.ts'
import type { Tab } from './tab.ts'

/** What a tab has to say of itself in one line. */
export type TabLabel = Pick<Tab, 'conversation' | 'place' | 'session'>

const widest = 24

/** The tabs in one line; the one that is shown stays visible, and a mark tells where others are left out. */
export function tabBar<T extends TabLabel>(
  tabs: readonly T[],
  current: T,
  columns: number,
  { paint }: Theme,
  show: (tab: T) => void,
): Frame {
  // Also on a narrow screen, another one can be seen beside the one that is shown.
  const part = Math.floor(columns / Math.min(2, tabs.length)) - 6
  const room = Math.max(4, Math.min(widest, part))
  const labels = tabs.map((tab, i) => ` ${i + 1} ${markOf(tab)}${cut(plainLine(tab.session.title), room)} `)
  const at = tabs.indexOf(current)
  const widthFrom = (from: number, to: number): number => widthOf(labels.slice(from, to).join(''))
  let first = 0
  while (first < at && widthFrom(first, at + 1) > columns - 2) first += 1
  let end = at + 1
  // One cell at each end is for the mark.
  const fits = (to: number): boolean =>
    widthFrom(first, to) <= columns - (first > 0 ? 1 : 0) - (to < tabs.length ? 1 : 0)
  while (end < tabs.length && fits(end + 1)) end += 1
  let line = first > 0 ? paint('tabs', '‹') : ''
  const areas: Area[] = []
  for (const [i, tab] of tabs.entries()) {
    const label = labels[i] ?? ''
    if (i < first || i >= end) continue
    const from = widthOf(line)
    line += paint(tab === current ? 'tab' : 'tabs', label)
    areas.push({ row: 0, from, to: from + widthOf(label), does: () => show(tab) })
  }
  const rest = end < tabs.length ? paint('tabs', '›') : ''
  return { lines: [filled(line, columns - widthOf(rest)) + rest], areas }
}

function markOf({ conversation, place, session }: TabLabel): string {
  if (conversation.isRunning) return '● '
  return place.fork || session.parentID ? '└ ' : ''
}
