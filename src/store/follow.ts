import type { Reset, TreeEvent } from '../tree/event.ts'
import type { EventReader } from './events.ts'

const batch = 500

/** Reads on from a number, in batches, and waits for the next commit whenever it has caught up. */
export async function* follow(
  events: EventReader,
  watch: (listener: () => void) => () => void,
  options: { after?: number; signal: AbortSignal },
): AsyncIterable<TreeEvent | Reset> {
  const { signal } = options
  const bell = new Bell()
  const stop = watch(() => bell.ring())
  const onAbort = () => bell.ring()
  signal.addEventListener('abort', onAbort)
  try {
    let seq = options.after ?? (await events.bounds()).last
    while (!signal.aborted) {
      const heard = bell.next()
      const { first, last } = await events.bounds()
      // Too late, also for one that slept in between; or a number from another store.
      if (seq < first - 1 || seq > last) {
        seq = last
        yield { kind: 'reset', seq }
        continue
      }
      const found = await events.after(seq, batch)
      for (const event of found) {
        if (signal.aborted) return
        yield event
        seq = event.seq
      }
      if (found.length === 0 && !signal.aborted) await heard
    }
  } finally {
    stop()
    signal.removeEventListener('abort', onAbort)
  }
}

/** Wakes whoever waits; a ring before the wait began is not lost. */
class Bell {
  #waiting = Promise.withResolvers<void>()

  ring(): void {
    this.#waiting.resolve()
  }

  /** Resolves at the first ring after this call. */
  next(): Promise<void> {
    this.#waiting = Promise.withResolvers<void>()
    return this.#waiting.promise
  }
}
