import type { ToolCallPart } from '../../tree/message.ts'
import type { Theme } from '../screen/theme.ts'
import type { CardDeed } from '../side-forks/draw-card.ts'
import { entryPieces, isCompact, newFlow } from './draw-entry.ts'
import { type Entry, isOfTool } from './entry.ts'
import type { Highlight, MarkdownFlow } from './markdown.ts'
import { aboveAll, belowAll, linesPiece, type Piece } from './piece.ts'

export interface EntriesLook {
  readonly columns: number
  readonly theme: Theme
  readonly highlight: Highlight | null
}

/** What an entry does not know of itself. */
export interface EntryContext {
  /** A button of a card is clicked. */
  press?(deed: CardDeed): void
  /** The calls that the results of an entry may have come of. */
  callsOf?(entry: Entry): readonly ToolCallPart[]
}

interface Kept {
  readonly look: EntriesLook
  readonly isOpened: boolean
  readonly pieces: readonly Piece[]
}

/** What was drawn of entries, kept as long as it would look the same. */
export class DrawnEntries {
  readonly #isOpened: (entry: Entry) => boolean
  readonly #context: EntryContext
  readonly #bodies = new WeakMap<Entry, Kept>()
  readonly #spaced = new WeakMap<
    readonly Piece[],
    { readonly stamp: string; readonly pieces: readonly Piece[] }
  >()
  readonly #decorated = new WeakMap<
    readonly Piece[],
    { readonly stamp: string; readonly pieces: readonly Piece[] }
  >()
  /** The Markdown of the message that streams, or did last: what was drawn of it stays when it is finished. */
  #streaming: {
    readonly key: string
    readonly look: EntriesLook
    readonly flows: Map<number, MarkdownFlow>
  } | null = null

  constructor(isOpened: (entry: Entry) => boolean, context: EntryContext = {}) {
    this.#isOpened = isOpened
    this.#context = context
  }

  /** An entry between its neighbours: empty lines stand between those that are more than a line. */
  piecesOf(entry: Entry, entries: readonly Entry[], index: number, look: EntriesLook): readonly Piece[] {
    const body = this.bodyOf(entry, look)
    if (body.length === 0) return body
    const isSmall = isCompact(entry)
    // What a tool gave stands right below the call.
    const isAfterSmall = !isSmall && !isOfTool(entry) && this.#isSmallBefore(entries, index)
    const stamp = `${isSmall} ${isAfterSmall}`
    return remembered(this.#spaced, body, stamp, () => [
      ...(isAfterSmall ? [linesPiece(aboveAll, '')] : []),
      ...body,
      ...(isSmall ? [] : [linesPiece(belowAll, '')]),
    ])
  }

  /** An entry by itself. */
  bodyOf(entry: Entry, look: EntriesLook): readonly Piece[] {
    const isOpened = this.#isOpened(entry)
    const kept = this.#bodies.get(entry)
    if (kept && kept.isOpened === isOpened && isSame(kept.look, look)) return kept.pieces
    const { press, callsOf } = this.#context
    const pieces = entryPieces(entry, {
      ...look,
      isOpened,
      ...(press && { press }),
      ...(callsOf && isOfTool(entry) && { calls: callsOf(entry) }),
      ...((entry.kind === 'draft' || entry.key === this.#streaming?.key) && {
        flowOf: this.#flowsOf(entry, look),
      }),
    })
    this.#bodies.set(entry, { look, isOpened, pieces })
    return pieces
  }

  /** Pieces made into others, once as long as the stamp is the same. */
  decorated(
    pieces: readonly Piece[],
    stamp: string,
    make: (pieces: readonly Piece[]) => readonly Piece[],
  ): readonly Piece[] {
    return pieces.length === 0 ? pieces : remembered(this.#decorated, pieces, stamp, () => make(pieces))
  }

  #flowsOf(entry: Entry, look: EntriesLook): (part: number) => MarkdownFlow {
    if (this.#streaming?.key !== entry.key || !isSame(this.#streaming.look, look))
      this.#streaming = { key: entry.key, look, flows: new Map() }
    const { flows } = this.#streaming
    return (part) => {
      const flow = flows.get(part) ?? newFlow({ ...look, isOpened: false })
      flows.set(part, flow)
      return flow
    }
  }

  // Folded tool messages draw nothing: they do not count.
  #isSmallBefore(entries: readonly Entry[], index: number): boolean {
    for (let i = index - 1; i >= 0; i--) {
      const entry = entries[i]
      if (!entry) return false
      if (!isOfTool(entry) || this.#isOpened(entry)) return isCompact(entry)
    }
    return false
  }
}

const isSame = (a: EntriesLook, b: EntriesLook): boolean =>
  a.columns === b.columns && a.theme === b.theme && a.highlight === b.highlight

function remembered(
  kept: WeakMap<readonly Piece[], { readonly stamp: string; readonly pieces: readonly Piece[] }>,
  of: readonly Piece[],
  stamp: string,
  make: () => readonly Piece[],
): readonly Piece[] {
  const found = kept.get(of)
  if (found?.stamp === stamp) return found.pieces
  const pieces = make()
  kept.set(of, { stamp, pieces })
  return pieces
}
