import type { Bough } from '../../bough.ts'
import type { Reset, TreeEvent } from '../../tree/event.ts'

/** Looks now, and again after each change, until there is something; null when the signal ends it before. */
export async function untilSeen<T>(
  bough: Pick<Bough, 'events'>,
  signal: AbortSignal,
  look: (event: TreeEvent | Reset | null) => Promise<T | null>,
): Promise<T | null> {
  const over = new AbortController()
  const events = bough.events({ signal: AbortSignal.any([signal, over.signal]) })[Symbol.asyncIterator]()
  // Asked for before a look, so that nothing is missed that happens meanwhile. Where it fails, that is told after the look.
  const ask = () => {
    const next = events.next()
    next.catch(() => {})
    return next
  }
  try {
    let next = ask()
    let event: TreeEvent | Reset | null = null
    for (;;) {
      const found = await look(event)
      if (found !== null) return found
      const heard = await next
      if (heard.done) return null
      event = heard.value
      next = ask()
    }
  } finally {
    over.abort()
  }
}
