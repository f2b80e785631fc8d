import type { Bough } from '../bough.ts'
import type { ChannelID } from '../tree/ids.ts'
import type { Port, Recent } from './port.ts'

/** The sign on messages that wait their turn. */
export class Marks {
  readonly #bough: Bough
  readonly #port: Port
  readonly #channelID: ChannelID
  readonly #closing: AbortSignal
  readonly #marked = new Map<string, Promise<void>>()

  constructor(bough: Bough, port: Port, channelID: ChannelID, closing: AbortSignal) {
    this.#bough = bough
    this.#port = port
    this.#channelID = channelID
    this.#closing = closing
  }

  /** Finds those that were set before a restart. */
  restore(recent: readonly Recent[]): void {
    for (const { id, isMarked } of recent) if (isMarked) this.#marked.set(id, Promise.resolve())
  }

  /** Marks a message, if it waits: it may have come in before. */
  async set(id: string): Promise<void> {
    if (this.#marked.has(id) || !(await this.#waiting()).has(id)) return
    // It is only a sign.
    const set = this.#port.mark(id).catch(() => {})
    this.#marked.set(id, set)
    await set
    await this.sweep()
  }

  /** Takes the sign from all that wait no longer, whoever has begun with them. */
  async sweep(): Promise<void> {
    if (this.#marked.size === 0) return
    const waiting = await this.#waiting()
    await Promise.all([...this.#marked].map(([id, set]) => (waiting.has(id) ? null : this.#clear(id, set))))
  }

  async #waiting(): Promise<ReadonlySet<string | null>> {
    const items = await this.#bough.waiting(this.#channelID)
    return new Set(items.map(({ what }) => (what.kind === 'message' ? what.externalID : null)))
  }

  async #clear(id: string, set: Promise<void>): Promise<void> {
    this.#marked.delete(id)
    await set
    await this.#port.insist(() => this.#port.unmark(id), this.#closing).catch(() => {})
  }
}
