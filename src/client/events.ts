import type { EventOptions } from '../bough.ts'
import type { Reset, TreeEvent } from '../tree/event.ts'
import { serverRoutes as routes } from '../wire/routes/server.ts'
import { Backoff } from './backoff.ts'
import type { Http } from './http.ts'
import { isAway } from './is-away.ts'

/** Durable changes, gap-free: when the connection breaks, it goes on after the last one. Ends when it is aborted. */
export async function* events(
  http: Http,
  { after, signal, away }: EventOptions,
): AsyncIterable<TreeEvent | Reset> {
  const over = AbortSignal.any([signal, http.closing])
  const backoff = new Backoff(over)
  let seq = after
  let hasWorked = false
  while (!over.aborted) {
    try {
      const stream = await http.open(
        routes.events,
        { query: { live: false } },
        { signal: over, lastEventID: seq },
      )
      for await (const event of stream) {
        if (over.aborted) return
        backoff.reset()
        hasWorked = true
        away?.(false)
        if (event.kind === 'draft' || event.kind === 'live' || event.kind === 'dropped') continue
        seq = event.seq
        if (event.kind !== 'open') yield event
      }
    } catch (error) {
      if (over.aborted) return
      if (!isAway(error, hasWorked)) throw error
    }
    if (over.aborted) return
    away?.(true)
    await backoff.wait().catch(() => {})
  }
}
