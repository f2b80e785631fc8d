/**
 * Waits for one thing after the other, and for each no longer than until something else is over. `Promise.race` would keep
 * something of every wait as long as that is still open: of every word of a turn.
 */
export function eachUnless<O>(over: Promise<O>): <T>(next: Promise<T>) => Promise<T | O> {
  const waiting = new Set<(over: Promise<O>) => void>()
  let isOver = false
  const wake = () => {
    isOver = true
    for (const resolve of waiting) resolve(over)
  }
  over.then(wake, wake)
  return async <T>(next: Promise<T>) => {
    const { promise, resolve, reject } = Promise.withResolvers<T | O>()
    waiting.add(resolve)
    if (isOver) wake()
    next.then(resolve, reject)
    try {
      return await promise
    } finally {
      waiting.delete(resolve)
    }
  }
}
