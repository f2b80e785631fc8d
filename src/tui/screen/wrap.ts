import { wrapTextWithAnsi } from '@earendil-works/pi-tui'
import { widthOf } from './frame.ts'

/** A text in lines of at most so many cells, broken between words where that goes. */
export const wrapped = (text: string, columns: number): readonly string[] =>
  wrapTextWithAnsi(text.trimEnd().replaceAll('\t', '    '), Math.max(1, columns))

/** The same broken wherever a line is full: every character is there, spaces too. For what must not look like another. */
export function everyCharacter(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  let cells = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const wide = widthOf(segment)
    if (line !== '' && cells + wide > columns) {
      lines.push(line)
      line = ''
      cells = 0
    }
    line += segment
    cells += wide
  }
  return [...lines, line]
}
