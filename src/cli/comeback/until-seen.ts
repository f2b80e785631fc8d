import type { Bough } from '../../bough.ts'
import type { Reset, TreeEvent } from '../../tree/event.ts'

/** Looks now, and again after each change, until there is something; null when the signal ends it before. */
export async function untilSeen<T>(
  bough: Bough,
  signal: AbortSignal,
  look: (event: TreeEvent | Reset | null) => Promise<T | null>,
): Promise<T | null> {
  const over = new AbortController()
  const events = bough.events({ signal: AbortSignal.any([signal, over.signal]) })[Symbol.asyncIterator]()
  try {
    // Asked for before the first look, so that nothing is missed that happens meanwhile.
    let next = events.next()
    let event: TreeEvent | Reset | null = null
    for (;;) {
      const found = await look(event)
      if (found !== null) return found
      const heard = await next
      if (heard.done) return null
      event = heard.value
      next = events.next()
    }
  } finally {
    over.abort()
  }
}
