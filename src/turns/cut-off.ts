import { eachUnless } from './each-unless.ts'

/** How long an agent may take to stop when it is told to; then its connection is closed under it. */
const stopWithin = 5_000

/** Resolves some time after the signal: then nobody waits any longer for an agent that does not stop. */
export function cutOffAfter(signal: AbortSignal): { readonly promise: Promise<null>; forget(): void } {
  const { promise, resolve } = Promise.withResolvers<null>()
  let timer: NodeJS.Timeout | null = null
  const onAbort = () => {
    timer = setTimeout(() => resolve(null), stopWithin)
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort)
  const forget = () => {
    signal.removeEventListener('abort', onAbort)
    if (timer) clearTimeout(timer)
  }
  return { promise, forget }
}

/** Events as they come, until they end or the cut-off. */
export async function* untilCutOff<T>(events: AsyncIterable<T>, cutOff: Promise<null>): AsyncIterable<T> {
  const iterator = events[Symbol.asyncIterator]()
  const unlessCutOff = eachUnless(cutOff)
  try {
    for (;;) {
      const next = await unlessCutOff(iterator.next())
      if (!next || next.done) return
      yield next.value
    }
  } finally {
    // Not awaited: one that hangs would keep us.
    void iterator.return?.().catch(() => {})
  }
}
