import { setTimeout as pause } from 'node:timers/promises'
import { isRefusal } from './refused-for-good.ts'

/** Milliseconds until something is tried again. */
const tryAgainAfter = 2_000

/** Asks Discord for something until it is done. Rejects when it never will be, and when it is given up. */
export async function insist<T>(work: () => Promise<T>, givenUp: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (isRefusal(error) || givenUp.aborted) throw error
    }
    await pause(tryAgainAfter, undefined, { signal: givenUp })
  }
}
