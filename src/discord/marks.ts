import type { InboxItem } from '../tree/inbox.ts'
import type { Port, Recent } from './port.ts'

/** The sign on messages that wait their turn. */
export class Marks {
  readonly #port: Port
  readonly #marked = new Map<string, Promise<void>>()

  constructor(port: Port) {
    this.#port = port
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

  /** Its turn has come, or will not come. */
  async clear(id: string): Promise<void> {
    const setting = this.#marked.get(id)
    if (!setting) return
    this.#marked.delete(id)
    await setting
    await this.#port.unmark(id).catch(() => {})
  }

  async clearFor({ what }: InboxItem): Promise<void> {
    if (what.kind === 'message' && what.externalID !== null) await this.clear(what.externalID)
  }
}
