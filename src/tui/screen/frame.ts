import { stripTerminalSequences, truncateToWidth, visibleWidth } from '@earendil-works/pi-tui'

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** What is drawn: lines that are no wider than their place, and where a click does something. */
export interface Frame {
  readonly lines: readonly string[]
  readonly areas: readonly Area[]
}

/** Cells `from` to `to` of a row, the last not included. */
export interface Area {
  readonly row: number
  readonly from: number
  readonly to: number
  does(): void
}

export const emptyFrame: Frame = { lines: [], areas: [] }

export const widthOf = visibleWidth

/** The beginning of a text that fits, with `…` for what is left out. */
export const cut = (text: string, columns: number): string =>
  columns < 1 ? '' : fitted(text, columns, false)

/** Exactly so wide: cut, or filled with spaces. */
export const filled = (text: string, columns: number): string =>
  columns < 1 ? '' : fitted(text, columns, true)

// The library ends all styles around its `…`. Where the text has none, that would end the tone that it is painted with later.
function fitted(text: string, columns: number, isFilled: boolean): string {
  const fitting = truncateToWidth(text, columns, '…', isFilled)
  return text.includes('\u001b') ? fitting : stripTerminalSequences(fitting)
}

/** Two texts at the two ends of a line; the left one gives way. */
export function ends(left: string, right: string, columns: number): string {
  const room = columns - visibleWidth(right)
  return room < 4 ? filled(left, columns) : filled(left, room) + right
}

/** Frames one below the other. */
export function below(...frames: readonly Frame[]): Frame {
  const lines: string[] = []
  const areas: Area[] = []
  for (const frame of frames) {
    for (const area of frame.areas) areas.push({ ...area, row: area.row + lines.length })
    lines.push(...frame.lines)
  }
  return { lines, areas }
}

/** The same a few rows down and columns to the right, for what lies over something else. */
export const moved = ({ lines, areas }: Frame, rows: number, columns: number): Frame => ({
  lines,
  areas: areas.map(({ row, from, to, does }) => ({
    row: row + rows,
    from: from + columns,
    to: to + columns,
    does,
  })),
})

/** Exactly so many lines: cut at the end, or filled. */
export const tall = ({ lines, areas }: Frame, rows: number): Frame => ({
  lines:
    lines.length >= rows
      ? lines.slice(0, rows)
      : [...lines, ...Array.from({ length: rows - lines.length }, () => '')],
  areas: areas.filter(({ row }) => row < rows),
})

/** One that is only lines. */
export const linesOnly = (...lines: readonly string[]): Frame => ({ lines, areas: [] })
