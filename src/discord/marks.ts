import type { Bough } from '../bough.ts'
import type { ChannelID } from '../tree/ids.ts'
import type { Port, Recent } from './port.ts'

/** Milliseconds until a sign is taken away that Discord kept. */
const tryAgainAfter = 5_000

/** The sign on messages that wait their turn. */
export class Marks {
  readonly #bough: Bough
  readonly #port: Port
  readonly #channelID: ChannelID
  readonly #marked = new Map<string, Promise<void>>()

  constructor(bough: Bough, port: Port, channelID: ChannelID) {
    this.#bough = bough
    this.#port = port
    this.#channelID = channelID
  }

  /** Finds those that were set before a restart. */
  restore(recent: readonly Recent[]): void {
    for (const { id, isMarked } of recent) if (isMarked) this.#marked.set(id, Promise.resolve())
  }

  set(id: string): void {
    // It is only a sign.
    this.#marked.set(
      id,
      this.#port.mark(id).catch(() => {}),
    )
  }

  /** Takes the sign from all that wait no longer, whoever has begun with them. */
  async sweep(): Promise<void> {
    if (this.#marked.size === 0) return
    const items = await this.#bough.waiting(this.#channelID).catch(() => null)
    // It is closed: who comes next finds them.
    if (!items) return
    const waiting = new Set(items.map(({ what }) => (what.kind === 'message' ? what.externalID : null)))
    await Promise.all([...this.#marked].map(([id, set]) => (waiting.has(id) ? null : this.#clear(id, set))))
  }

  async #clear(id: string, set: Promise<void>): Promise<void> {
    this.#marked.delete(id)
    await set
    try {
      await this.#port.unmark(id)
    } catch {
      this.#marked.set(id, set)
      setTimeout(() => void this.sweep(), tryAgainAfter).unref()
    }
  }
}
