/** Something that a click on a line does. */
export interface Click {
  /** Which of the piece's lines. */
  readonly line: number
  readonly from: number
  readonly to: number
  does(): void
}

/** A part of what an entry looks like. It is drawn when somebody looks at it, and then kept. */
export interface Piece {
  /** Where in the words of its entry it begins: the same however wide it is drawn. */
  readonly from: number
  readonly lines: readonly string[]
  /** A click on it opens or folds its message. */
  readonly opens: boolean
  readonly clicks?: readonly Click[]
}

/** What comes before all words of an entry, and after them. */
export const aboveAll = -1
export const belowAll = Number.MAX_SAFE_INTEGER

/** A piece that is drawn once, when it is first looked at. */
export class LazyPiece implements Piece {
  readonly from: number
  readonly opens: boolean
  #draw: (() => readonly string[]) | null
  #lines: readonly string[] = []

  constructor(from: number, draw: () => readonly string[], opens = false) {
    this.from = from
    this.opens = opens
    this.#draw = draw
  }

  get lines(): readonly string[] {
    if (this.#draw) {
      this.#lines = this.#draw()
      this.#draw = null
    }
    return this.#lines
  }
}

/** The same piece with its lines drawn otherwise. */
export const redrawn = (piece: Piece, draw: (lines: readonly string[]) => readonly string[]): Piece =>
  new LazyPiece(piece.from, () => draw(piece.lines), piece.opens)

/** Lines that are there already. */
export const linesPiece = (from: number, ...lines: readonly string[]): Piece => ({
  from,
  lines,
  opens: false,
})
