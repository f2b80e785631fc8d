import { setImmediate, setTimeout } from 'node:timers/promises'

/** Resolves after a while; rejects at once when the signal aborts. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>

/** Even no time at all lets everything else have its turn first, so that an abort can arrive. */
export const pause: Sleep = (milliseconds, signal) =>
  milliseconds === 0 ? setImmediate(undefined, { signal }) : setTimeout(milliseconds, undefined, { signal })

/** What the work comes to, or a rejection as soon as the signal aborts, whatever the work does then. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const stop = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    return await Promise.race([aborted.promise, work])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
