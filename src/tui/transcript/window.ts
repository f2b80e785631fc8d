import type { Piece } from './piece.ts'

// Which part of a transcript is on the screen. Only what is shown, and what is passed while scrolling, is ever drawn: neither a
// transcript of thousands of messages, nor a message of thousands of lines, has a height that anybody would have to know.

/** What is at the top: the end is followed, or a line of an entry stays where it is. */
export type View =
  | { readonly kind: 'end' }
  | {
      readonly kind: 'at'
      readonly key: string
      /** The piece of the entry that has the line, and where that begins; absent: its first one. */
      readonly piece?: { readonly index: number; readonly from: number }
      /** Which line of the piece. */
      readonly line: number
    }

export const atEnd: View = { kind: 'end' }

/** The view with a line of an entry at the top that was there when it was seen last, drawn as it may be now. */
export const placeIn = (key: string, line: number, from?: number): View => ({
  kind: 'at',
  key,
  line,
  ...(from !== undefined && { piece: { index: -1, from } }),
})

/** Entries, by their order, and how each is drawn. */
export interface Drawn<E extends { readonly key: string }> {
  readonly entries: readonly E[]
  piecesOf(entry: E, index: number): readonly Piece[]
}

/** One line that is shown, and what it is of. */
export interface Shown<E> {
  readonly entry: E
  readonly piece: Piece
  /** Which line of the piece. */
  readonly line: number
  readonly text: string
}

/** The lines that are shown, at most so many. */
export function windowOf<E extends { readonly key: string }>(
  drawn: Drawn<E>,
  view: View,
  height: number,
): readonly Shown<E>[] {
  const start = view.kind === 'end' ? null : placeOf(drawn, view)
  const shown = start && forwards(drawn, start, height)
  // Where less than a screen is left below, the end is shown.
  return shown && shown.length === height ? shown : backwards(drawn, height)
}

/** The view as it is in a window that may be taller by now: where nothing lies below, the end is followed. */
export function followed<E extends { readonly key: string }>(
  drawn: Drawn<E>,
  view: View,
  height: number,
): View {
  const start = view.kind === 'end' ? null : placeOf(drawn, view)
  return start && forwards(drawn, start, height + 1).length <= height ? atEnd : view
}

/** The view so many lines further down; up, for less than none. At the end it follows that. */
export function scrolled<E extends { readonly key: string }>(
  drawn: Drawn<E>,
  view: View,
  height: number,
  by: number,
): View {
  const top = topOf(drawn, view, height)
  if (!top) return atEnd
  return settled(drawn, by < 0 ? up(drawn, top, -by) : down(drawn, top, by), height)
}

/** The view in which all of an entry is shown, or its beginning where it is too tall; the same where it is already. */
export function revealing<E extends { readonly key: string }>(
  drawn: Drawn<E>,
  view: View,
  height: number,
  key: string,
): View {
  const index = drawn.entries.findIndex((entry) => entry.key === key)
  const entry = drawn.entries[index]
  if (!entry) return view
  const pieces = drawn.piecesOf(entry, index)
  const tall = heightUpTo(pieces, height)
  const shown = windowOf(drawn, view, height).filter((each) => each.entry === entry)
  if (shown.length === tall && shown[0]?.piece === pieces[0] && shown[0]?.line === 0) return view
  // A third from the top: what comes before it says what it is about.
  const above = Math.max(0, Math.min(Math.floor(height / 3), height - tall))
  return settled(drawn, up(drawn, { index, piece: 0, line: 0 }, above), height)
}

/** The view in which one line of an entry is shown; the same where it is already. */
export function revealingLine<E extends { readonly key: string }>(
  drawn: Drawn<E>,
  view: View,
  height: number,
  at: Extract<View, { kind: 'at' }>,
): View {
  const place = placeOf(drawn, at)
  const entry = place && drawn.entries[place.index]
  if (!entry) return view
  const piece = drawn.piecesOf(entry, place.index)[place.piece]
  const isShown = windowOf(drawn, view, height).some(
    (each) => each.piece === piece && each.line === place.line,
  )
  return isShown ? view : settled(drawn, up(drawn, place, Math.floor(height / 3)), height)
}

/** A line: which entry, which of its pieces, which line of that. */
interface Place {
  readonly index: number
  readonly piece: number
  readonly line: number
}

function topOf<E extends { readonly key: string }>(
  drawn: Drawn<E>,
  view: View,
  height: number,
): Place | null {
  const [first] = windowOf(drawn, view, height)
  if (!first) return null
  const index = drawn.entries.lastIndexOf(first.entry)
  const piece = drawn.piecesOf(first.entry, index).indexOf(first.piece)
  return { index, piece: Math.max(0, piece), line: first.line }
}

function placeOf<E extends { readonly key: string }>(
  { entries, piecesOf }: Drawn<E>,
  { key, piece: wanted = { index: 0, from: 0 }, line }: Extract<View, { kind: 'at' }>,
): Place | null {
  const index = entries.findIndex((entry) => entry.key === key)
  const entry = entries[index]
  if (!entry) return null
  const pieces = piecesOf(entry, index)
  // Drawn otherwise it may have other pieces: then it is the one that has that place in it.
  const isSame = wanted.index === 0 || pieces[wanted.index]?.from === wanted.from
  const piece = isSame
    ? wanted.index
    : Math.max(
        0,
        pieces.findLastIndex(({ from }) => from <= wanted.from),
      )
  const tall = pieces[piece]?.lines.length ?? 0
  return { index, piece, line: Math.max(0, Math.min(line, tall - 1)) }
}

function settled<E extends { readonly key: string }>(drawn: Drawn<E>, place: Place, height: number): View {
  const entry = drawn.entries[place.index]
  // One more than fits: where nothing is below, the end is followed.
  if (!entry || forwards(drawn, place, height + 1).length <= height) return atEnd
  const from = drawn.piecesOf(entry, place.index)[place.piece]?.from ?? 0
  return { kind: 'at', key: entry.key, piece: { index: place.piece, from }, line: place.line }
}

function forwards<E extends { readonly key: string }>(
  { entries, piecesOf }: Drawn<E>,
  start: Place,
  height: number,
): readonly Shown<E>[] {
  const shown: Shown<E>[] = []
  for (let i = start.index; i < entries.length && shown.length < height; i++) {
    const entry = entries[i]
    if (!entry) break
    const pieces = piecesOf(entry, i)
    const isFirst = i === start.index
    for (let p = isFirst ? start.piece : 0; p < pieces.length && shown.length < height; p++) {
      const piece = pieces[p]
      const lines = piece?.lines ?? []
      const first = isFirst && p === start.piece ? start.line : 0
      for (let line = first; piece && line < lines.length && shown.length < height; line++)
        shown.push({ entry, piece, line, text: lines[line] ?? '' })
    }
  }
  return shown
}

function backwards<E extends { readonly key: string }>(
  { entries, piecesOf }: Drawn<E>,
  height: number,
): readonly Shown<E>[] {
  const shown: Shown<E>[] = []
  for (let i = entries.length - 1; i >= 0 && shown.length < height; i--) {
    const entry = entries[i]
    if (!entry) break
    for (const piece of piecesOf(entry, i).toReversed()) {
      const { lines } = piece
      for (let line = lines.length - 1; line >= 0 && shown.length < height; line--)
        shown.push({ entry, piece, line, text: lines[line] ?? '' })
      if (shown.length === height) break
    }
  }
  return shown.reverse()
}

function up<E extends { readonly key: string }>(
  { entries, piecesOf }: Drawn<E>,
  { index, piece, line }: Place,
  by: number,
): Place {
  let left = by - line
  if (left <= 0) return { index, piece, line: line - by }
  for (let i = index; i >= 0; i--) {
    const entry = entries[i]
    const pieces = entry ? piecesOf(entry, i) : []
    for (let p = (i === index ? piece : pieces.length) - 1; p >= 0; p--) {
      const tall = pieces[p]?.lines.length ?? 0
      if (tall >= left) return { index: i, piece: p, line: tall - left }
      left -= tall
    }
  }
  return { index: 0, piece: 0, line: 0 }
}

function down<E extends { readonly key: string }>(
  { entries, piecesOf }: Drawn<E>,
  { index, piece, line }: Place,
  by: number,
): Place {
  let left = line + by
  for (let i = index; i < entries.length; i++) {
    const entry = entries[i]
    const pieces = entry ? piecesOf(entry, i) : []
    for (let p = i === index ? piece : 0; p < pieces.length; p++) {
      const tall = pieces[p]?.lines.length ?? 0
      if (left < tall) return { index: i, piece: p, line: left }
      left -= tall
    }
  }
  return { index: entries.length, piece: 0, line: 0 }
}

/** How tall it is, as far as that fits. */
function heightUpTo(pieces: readonly Piece[], most: number): number {
  let tall = 0
  for (const piece of pieces) {
    tall += piece.lines.length
    if (tall >= most) return most
  }
  return tall
}
