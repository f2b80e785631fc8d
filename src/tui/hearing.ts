import { messageOf } from '../tree/error.ts'
import type { Reset, TreeEvent } from '../tree/event.ts'
import { listen } from './listening.ts'
import type { Ui } from './ui.ts'

/** What the program hears of changes anywhere, and whether it can hear at all. */
export class Hearing {
  readonly #ui: Ui
  readonly #hear: (event: TreeEvent | Reset) => void
  readonly #over = new AbortController()
  #isAway = false

  constructor(ui: Ui, hear: (event: TreeEvent | Reset) => void) {
    this.#ui = ui
    this.#hear = hear
  }

  /** Nothing can be heard just now. */
  get isAway(): boolean {
    return this.#isAway
  }

  begin(): void {
    const ui = this.#ui
    void listen(ui.bough, {
      signal: this.#over.signal,
      hear: this.#hear,
      away: (isAway) => {
        this.#isAway = isAway
        // What was asked for meanwhile has failed.
        if (!isAway) this.#hear({ kind: 'reset', seq: 0 })
        ui.redraw()
      },
      failed: (error) => ui.tell(messageOf(error), 'bad'),
    })
  }

  end(): void {
    this.#over.abort()
  }
}
