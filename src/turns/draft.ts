import type { AgentEvent } from '../agents/driver.ts'
import type { Ids, MessageID } from '../tree/ids.ts'
import type { Part } from '../tree/message.ts'
import type { Draft } from '../tree/turn.ts'

type Piece = Extract<AgentEvent, { type: 'text' | 'reasoning' | 'tool-call' | 'tool-result' }>

/** The message that streams: pieces go in, and come together to parts. */
export class DraftMessage {
  readonly #ids: Ids
  #id: MessageID
  #parts: Part[] = []
  /** Pieces of the part that still grows; joined when somebody looks, so that a long text costs no more than its length. */
  #growing: { readonly type: 'text' | 'reasoning'; readonly pieces: string[] } | null = null

  constructor(ids: Ids) {
    this.#ids = ids
    this.#id = ids.message()
  }

  get id(): MessageID {
    return this.#id
  }

  add(piece: Piece): void {
    if (piece.type === 'text' || piece.type === 'reasoning') {
      if (this.#growing?.type !== piece.type) {
        this.#settle()
        this.#growing = { type: piece.type, pieces: [] }
      }
      this.#growing.pieces.push(piece.text)
    } else {
      this.#settle()
      this.#parts.push(piece)
    }
  }

  /** What there is so far; null when nothing is. */
  current(): Draft | null {
    const growing = this.#growingPart()
    const parts = growing ? [...this.#parts, growing] : [...this.#parts]
    if (parts.length === 0) return null
    const role = parts.some((part) => part.type === 'tool-result') ? 'tool' : 'assistant'
    return { messageID: this.#id, role, parts }
  }

  /** What there was is finished; the next piece begins a new message. */
  startNext(): void {
    this.#parts = []
    this.#growing = null
    this.#id = this.#ids.message()
  }

  #settle(): void {
    const growing = this.#growingPart()
    if (growing) this.#parts.push(growing)
    this.#growing = null
  }

  #growingPart(): Part | null {
    return this.#growing && { type: this.#growing.type, text: this.#growing.pieces.join('') }
  }
}
