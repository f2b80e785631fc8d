import { setTimeout as pause } from 'node:timers/promises'
import type { Store } from '../store/store.ts'

/** Nothing is committed when a process dies or time passes: so somebody looks again after a while. */
const lookAgainAfter = 250

/** Resolves soon after the next commit of any process, or after a moment. Rejects when the signal aborts. */
export async function nextChange(store: Store, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const over = new AbortController()
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = store.watch(resolve)
  const waited = pause(lookAgainAfter, undefined, {
    signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal,
  })
  try {
    await Promise.race([promise, waited.catch(() => {})])
  } finally {
    stop()
    over.abort()
  }
  signal?.throwIfAborted()
}
