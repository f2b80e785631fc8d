import type { Bough } from '../../bough.ts'
import type { Reset, TreeEvent } from '../../tree/event.ts'
import type { Permission } from '../../tree/permission.ts'
import { soonOnce } from '../../tree/soon-once.ts'

/** What agents ask, anywhere, and nobody has answered yet; as far as it is known here. */
export class Permissions {
  readonly #bough: Bough
  readonly #changed: () => void
  #all: readonly Permission[] = []
  readonly refresh = soonOnce(() => this.#read())

  constructor(bough: Bough, changed: () => void) {
    this.#bough = bough
    this.#changed = changed
  }

  get all(): readonly Permission[] {
    return this.#all
  }

  /** What is asked goes with its turn, and with its session. */
  hear({ kind }: TreeEvent | Reset): void {
    if (kind.startsWith('permission.') || kind === 'turn.ended' || kind === 'session.deleted') this.refresh()
    if (kind === 'reset') this.refresh()
  }

  async #read(): Promise<void> {
    this.#all = await this.#bough.permissions()
    this.#changed()
  }
}
