import type { Theme } from '../screen/theme.ts'
import type { Block } from './block.ts'
import { BlockReader } from './block-reader.ts'
import { blockDrawer, type Highlight, type MarkdownLook } from './draw-block.ts'
import { LazyPiece, type Piece } from './piece.ts'

export type { Highlight } from './draw-block.ts'

/**
 * A Markdown text that grows. Its blocks that are complete are made once, and drawn once when somebody looks at them; only
 * the one at its end is made again when more comes. A text looks the same whether it came at once or in pieces.
 */
export class MarkdownFlow {
  readonly #columns: number
  readonly #draw: (block: Block) => readonly string[]
  #reader: BlockReader
  #complete: Piece[] = []
  #text = ''
  #from = 0

  /** `indent` stands before each line. */
  constructor(look: MarkdownLook, indent = '') {
    const draw = blockDrawer(look)
    this.#columns = look.columns
    this.#draw = (block) => draw(block).map((line) => (line === '' ? '' : indent + line))
    this.#reader = new BlockReader(look.columns)
  }

  /** All of the text as it is now; its first piece begins at `from`. */
  pieces(text: string, from = 0): readonly Piece[] {
    if (from !== this.#from || !text.startsWith(this.#text)) {
      this.#reader = new BlockReader(this.#columns)
      this.#complete = []
    }
    this.#text = text
    this.#from = from
    for (const block of this.#reader.take(text)) this.#complete.push(this.#pieceOf(block))
    return [...this.#complete, ...this.#reader.rest(text).map((block) => this.#pieceOf(block))]
  }

  #pieceOf(block: Block): Piece {
    return new LazyPiece(this.#from + block.from, () => this.#draw(block))
  }
}

/** A text as Markdown, in lines of at most so many cells. */
export const markdownLines = (
  text: string,
  columns: number,
  theme: Theme,
  highlight?: Highlight | null,
): readonly string[] =>
  new MarkdownFlow({ columns, theme, highlight: highlight ?? null })
    .pieces(text)
    .flatMap(({ lines }) => lines)
