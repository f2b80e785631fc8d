import { setTimeout as pause } from 'node:timers/promises'
import { turnRoutes as routes } from '../wire/routes/turns.ts'
import type { Http } from './http.ts'
import { isAway } from './is-away.ts'

/** Milliseconds: the server may not know of it yet, or cannot be reached for a moment. */
const tryAgainAfter = 50
const notYet = { givenUp: false }

/**
 * Does something that can be given up. Cutting the connection would leave it open whether it was done: so the server is told,
 * and says how it went.
 */
export async function givingUp<T>(
  http: Http,
  signal: AbortSignal | undefined,
  work: (key: string) => Promise<T>,
  /** Until when it can be given up; absent: until the work is done. */
  lasts: (made: T) => Promise<unknown> = async () => {},
): Promise<T> {
  signal?.throwIfAborted()
  const key = crypto.randomUUID()
  let isOver = false
  const giveUp = async () => {
    while (!isOver && !http.closing.aborted) {
      const answer = await http.call(routes.giveUp, { body: { key } }).catch((error) => {
        if (isAway(error, true)) return notYet
        throw error
      })
      if (answer.givenUp) return
      await pause(tryAgainAfter)
    }
  }
  const onAbort = () => void giveUp().catch(() => {})
  signal?.addEventListener('abort', onAbort)
  const over = () => {
    isOver = true
    signal?.removeEventListener('abort', onAbort)
  }
  try {
    const made = await work(key)
    void lasts(made).finally(over)
    return made
  } catch (error) {
    over()
    signal?.throwIfAborted()
    throw error
  }
}
