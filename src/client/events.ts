import { hasCode } from '../tree/error.ts'
import type { Reset, TreeEvent } from '../tree/event.ts'
import { serverRoutes as routes } from '../wire/routes/server.ts'
import { Backoff } from './backoff.ts'
import type { Http } from './http.ts'

/** Durable changes, gap-free: when the connection breaks, it goes on after the last one. Ends when it is aborted. */
export async function* events(
  http: Http,
  { after, signal }: { readonly after?: number; readonly signal: AbortSignal },
): AsyncIterable<TreeEvent | Reset> {
  const over = AbortSignal.any([signal, http.closing])
  const backoff = new Backoff(over)
  let seq = after
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
        if (event.kind === 'draft' || event.kind === 'live' || event.kind === 'dropped') continue
        seq = event.seq
        if (event.kind !== 'open') yield event
      }
    } catch (error) {
      if (over.aborted) return
      if (!hasCode(error, 'server_unreachable') && !hasCode(error, 'stopping')) throw error
    }
    await backoff.wait().catch(() => {})
  }
}
