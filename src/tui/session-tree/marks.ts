import type { SessionID } from '../../tree/ids.ts'

/** The sessions that are to be compared: at most one is marked, the second one is compared with it. */
export class Marks {
  #marked: SessionID | null

  constructor(marked: SessionID | null = null) {
    this.#marked = marked
  }

  get marked(): SessionID | null {
    return this.#marked
  }

  /** Marks a session, or takes its mark away; with another that is marked it makes a pair. */
  toggle(id: SessionID): readonly [SessionID, SessionID] | null {
    const before = this.#marked
    this.#marked = before === null ? id : null
    return before === null || before === id ? null : [before, id]
  }

  clear(): void {
    this.#marked = null
  }
}
