import type { ActionName } from '../keys/actions.ts'
import type { Ui } from '../ui.ts'
import type { Panel } from './panel.ts'

interface HeldKey {
  readonly data: string
  readonly at: number
}

/** Panels that are being loaded. Keys that come meanwhile are meant for them, so they wait. */
export class Openings {
  readonly #ui: Ui
  readonly #press: (data: string, at: number) => void
  readonly #names = new Set<ActionName>()
  #held: readonly HeldKey[] = []

  constructor(ui: Ui, press: (data: string, at: number) => void) {
    this.#ui = ui
    this.#press = press
  }

  /** Opens a panel once it is loaded; asked for twice meanwhile, it opens once. */
  begin(name: ActionName, load: () => Promise<Panel>): void {
    if (this.#names.has(name)) return
    this.#names.add(name)
    this.#ui.attempt(async () => {
      try {
        this.#ui.open(await load())
      } finally {
        this.#names.delete(name)
        this.#letGo()
      }
    })
  }

  /** Keeps a key that came at that time; false where nothing is being loaded, or the key does not wait for anything. */
  hold(data: string, at: number): boolean {
    if (this.#names.size === 0) return false
    const name = this.#ui.keys.find(['composer', 'anywhere'], data)
    if (name === 'app.quit' || name === 'app.suspend') return false
    // Pressed twice by mistake.
    if (name === null || !this.#names.has(name)) this.#held = [...this.#held, { data, at }]
    return true
  }

  // One of them may begin to open something itself.
  #letGo(): void {
    while (this.#names.size === 0) {
      const [first, ...more] = this.#held
      if (!first) return
      this.#held = more
      this.#press(first.data, first.at)
    }
  }
}
