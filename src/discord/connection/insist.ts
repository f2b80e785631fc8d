import { setTimeout as pause } from 'node:timers/promises'
import { DiscordAPIError } from 'discord.js'

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

/** It would be the same the next time. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof DiscordAPIError && error.status >= 400 && error.status < 500
