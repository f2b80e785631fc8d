import { isSameProcess, livenessOf } from '../../process-identity.ts'
import type { Store } from '../../store/store.ts'
import type { Clock } from '../../tree/ids.ts'
import type { ProcessIdentity } from '../../tree/owner.ts'

// Something that only one process does at a time: nobody's ──▶ ours ⇄ renewed ──▶ nobody's. It is taken from a process that is
// gone, or has let its lease pass.

export interface DutyParts {
  readonly store: Store
  readonly clock: Clock
  readonly process: ProcessIdentity
}

/** Milliseconds that a duty is kept without being renewed. */
export const lease = 15_000

export class Duty {
  readonly #parts: DutyParts
  readonly #name: string

  constructor(parts: DutyParts, name: string) {
    this.#parts = parts
    this.#name = name
  }

  /** Whether it is ours now, taken or renewed if that can be. */
  async hold(): Promise<boolean> {
    const { store, clock, process } = this.#parts
    const held = await store.duties.get(this.#name)
    const now = clock()
    const isOurs = held !== null && isSameProcess(held.process, process)
    if (held && !isOurs && livenessOf(held.process) !== 'gone' && held.leaseUntil >= now) return false
    if (held && isOurs && held.leaseUntil - now > lease / 2) return true
    const duty = { name: this.#name, process, leaseUntil: now + lease }
    return store.transaction((tx) => tx.duties.take(duty, held?.process ?? null), 'relaxed')
  }

  async leave(): Promise<void> {
    const { store, process } = this.#parts
    await store.transaction((tx) => tx.duties.leave(this.#name, process), 'relaxed')
  }
}
