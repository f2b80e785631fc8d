import { compositeTuiLine } from '@earendil-works/pi-tui'
import { type Area, cut, type Frame, filled, moved, type Size, widthOf } from './frame.ts'
import type { Paint, Tone } from './theme.ts'

export interface BoxLook {
  readonly paint: Paint
  readonly title: string
  /** At the lower edge: which keys do what. */
  readonly foot?: string
  readonly tone?: Tone
}

/** A frame in a border, with a title in its upper edge. `columns` are those of the whole box. */
export function boxed(
  inner: Frame,
  columns: number,
  { paint, title, foot = '', tone = 'accent' }: BoxLook,
): Frame {
  const room = columns - 4
  const edge = (text: string): string => paint(tone, text)
  const head = title === '' ? '' : ` ${cut(title, room - 2)} `
  const tail = foot === '' ? '' : ` ${cut(foot, room - 2)} `
  const line = (text: string): string => `${edge('│')} ${filled(text, room)} ${edge('│')}`
  return {
    lines: [
      edge('╭─') + paint('strong', head) + edge(`${'─'.repeat(Math.max(0, columns - 3 - widthOf(head)))}╮`),
      ...inner.lines.map(line),
      edge('╰─') + paint('dim', tail) + edge(`${'─'.repeat(Math.max(0, columns - 3 - widthOf(tail)))}╯`),
    ],
    areas: moved(inner, 1, 2).areas,
  }
}

/**
 * Lays a frame over the middle of another; what it covers cannot be clicked. With a veil, which the rest is drawn through, nothing
 * but it can; an empty one only keeps clicks away.
 */
export function over(base: Frame, top: Frame, size: Size, veil: ((line: string) => string) | null): Frame {
  const width = Math.max(0, ...top.lines.map(widthOf))
  const row = Math.max(0, Math.floor((size.rows - top.lines.length) / 2))
  const column = Math.max(0, Math.floor((size.columns - width) / 2))
  const lines = base.lines.map((each, i) => {
    const line = veil && top.lines.length > 0 ? veil(each) : each
    const lying = top.lines[i - row]
    return lying === undefined
      ? line
      : compositeTuiLine(line, filled(lying, width), column, width, size.columns)
  })
  const isCovered = (area: Area): boolean =>
    veil !== null || (area.row >= row && area.row < row + top.lines.length)
  return {
    lines,
    areas: [...moved(top, row, column).areas, ...base.areas.filter((area) => !isCovered(area))],
  }
}
