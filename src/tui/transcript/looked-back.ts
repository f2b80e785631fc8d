import { stripTerminalSequences } from '@earendil-works/pi-tui'
import { cut, filled, widthOf } from '../screen/frame.ts'
import type { Paint } from '../screen/theme.ts'
import { aboveAll, belowAll, linesPiece, type Piece, redrawn } from './piece.ts'

// How entries look while the person looks back for a place to fork.

/** The selected one: in a box that marks it as the fork point. Its pieces are four cells narrower. */
export function boxedPieces(
  inner: readonly Piece[],
  head: string,
  columns: number,
  paint: Paint,
): readonly Piece[] {
  const mark = columns < 24 ? '' : ' fork point '
  const label = cut(` ${head} `, columns - widthOf(mark) - 6)
  const rest = columns - 4 - widthOf(label) - widthOf(mark)
  const edge = (text: string): string => paint('accent', text)
  const side = (line: string): string => `${edge('│')} ${filled(line, columns - 4)} ${edge('│')}`
  return [
    linesPiece(aboveAll, edge(`╭─${label}${'─'.repeat(Math.max(0, rest))}${mark}─╮`)),
    ...inner.map((piece) => redrawn(piece, (lines) => lines.map(side))),
    linesPiece(belowAll, edge(`╰${'─'.repeat(Math.max(0, columns - 2))}╯`)),
  ]
}

/** One of the others: with who said it; dim where the fork would not have it. */
export function headedPieces(
  pieces: readonly Piece[],
  head: string,
  isAfter: boolean,
  columns: number,
  paint: Paint,
): readonly Piece[] {
  // The empty line that sets it apart from the one before stays above its head.
  const space = pieces[0]?.from === aboveAll ? 1 : 0
  const headed =
    head === '' ? pieces : pieces.toSpliced(space, 0, linesPiece(aboveAll, paint('dim', cut(head, columns))))
  if (!isAfter) return headed
  return headed.map((piece) =>
    redrawn(piece, (lines) => lines.map((line) => paint('dim', stripTerminalSequences(line)))),
  )
}
