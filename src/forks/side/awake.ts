import { isSameProcess, livenessOf } from '../../process-identity.ts'
import type { Store } from '../../store/store.ts'
import type { ProcessIdentity } from '../../tree/owner.ts'

// Who has something in hand shows every few seconds that it is awake. One that is gone, or has stood still for as long as we
// watched, has left it behind. It may wake up again: then it finds that others have it, and does nothing.

/** Milliseconds without a sign of life after which a process counts as standing still. */
export const usualPatience = 15_000

export class Awake {
  readonly #store: Store
  readonly #process: ProcessIdentity
  readonly #patience: number
  readonly #seen = new Map<string, { readonly beat: number | null; readonly since: number }>()
  #inHand = 0
  #timer: NodeJS.Timeout | null = null

  constructor(store: Store, process: ProcessIdentity, patience: number) {
    this.#store = store
    this.#process = process
    this.#patience = patience
  }

  /** Shows that we are awake for as long as the work takes. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#inHand++
    this.#timer ??= setInterval(() => this.#beat(), this.#patience / 5).unref()
    if (this.#inHand === 1) this.#beat()
    try {
      return await work()
    } finally {
      this.#inHand--
      if (this.#inHand === 0 && this.#timer) {
        clearInterval(this.#timer)
        this.#timer = null
      }
    }
  }

  /** Whether we have something in hand. */
  get isNeeded(): boolean {
    return this.#inHand > 0
  }

  isOurs(process: ProcessIdentity): boolean {
    return isSameProcess(process, this.#process)
  }

  /** Whether a process has left behind what it had. Time is what passed here: nobody's clock has to be right. */
  async hasLeft(process: ProcessIdentity): Promise<boolean> {
    if (livenessOf(process) === 'gone') return true
    if (this.isOurs(process)) return false
    const beat = await this.#store.processes.beat(process)
    const key = `${process.pid} ${process.started} ${process.machine}`
    const seen = this.#seen.get(key)
    if (seen && seen.beat === beat) return performance.now() - seen.since > this.#patience
    this.#seen.set(key, { beat, since: performance.now() })
    return false
  }

  // What the store refuses now it may take the next time.
  #beat(): void {
    void this.#store.transaction((tx) => tx.processes.beatOnce(this.#process), 'relaxed').catch(() => {})
  }
}
