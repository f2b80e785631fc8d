import { setTimeout } from 'node:timers/promises'

const shortest = 50
const longest = 2_000

type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>

const pause: Sleep = (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal })

/** Waits before something is tried again, longer each time. */
export class Backoff {
  readonly #signal: AbortSignal
  readonly #sleep: Sleep
  #next = shortest

  constructor(signal: AbortSignal, sleep: Sleep = pause) {
    this.#signal = signal
    this.#sleep = sleep
  }

  /** It has worked: the next wait is short again. */
  reset(): void {
    this.#next = shortest
  }

  /** Rejects with the signal's reason when that is aborted. */
  async wait(): Promise<void> {
    this.#signal.throwIfAborted()
    await this.#sleep(this.#next, this.#signal).catch(() => this.#signal.throwIfAborted())
    this.#next = Math.min(this.#next * 2, longest)
  }
}
