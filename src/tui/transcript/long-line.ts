import { wrapTextWithAnsi } from '@earendil-works/pi-tui'

/** A line that is longer is drawn in pieces, or each new word of it would cost more than the one before. */
export const longest = 2000

/**
 * Where a long line is cut: where a drawn line ends, so that nobody sees it, and not within bold words or code. Only what is
 * within `longest` counts: what comes after it later changes nothing.
 */
export function cutOf(text: string, from: number, columns: number): number {
  // Controls are not drawn, and what wraps lines takes long to look for the ends of escape sequences.
  const part = text.slice(from, from + longest).replace(/[^\P{Cc}\t]/gu, '\u200b')
  const ends = lineStarts(part, Math.max(1, columns)).slice(1)
  const end = ends.findLast((each) => isBalanced(part.slice(0, each))) ?? ends.at(-1)
  return from + (end ?? wholeLength(part))
}

/** Where the lines begin that a text is wrapped to. */
function lineStarts(text: string, columns: number): readonly number[] {
  const starts: number[] = []
  let at = 0
  for (const line of wrapTextWithAnsi(text, columns)) {
    const begins = text.indexOf(line, at)
    // What is not there as it is drawn has styles of its own.
    if (begins === -1 || line === '') return starts
    starts.push(begins)
    at = begins + line.length
  }
  return starts
}

// Marks that stand for themselves are no harm: then it is cut somewhere else.
const isBalanced = (text: string): boolean =>
  ['`', '*', '_', '~'].every((mark) => text.split(mark).length % 2 === 1)

// Half of a character is none.
function wholeLength(part: string): number {
  const unit = part.charCodeAt(part.length - 1)
  return unit >= 0xd800 && unit <= 0xdbff && part.length > 1 ? part.length - 1 : part.length
}
