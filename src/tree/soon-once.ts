/**
 * Does something again and again, never twice at once: what is asked for while it goes on is done once more after it. Resolves
 * when all of that is done, for who asks meanwhile at once. Rejects with what failed, which is tried when it is asked for next.
 */
export function onceAtATime(work: () => Promise<void>): () => Promise<void> {
  let isRunning = false
  let isWanted = false
  return async () => {
    isWanted = true
    if (isRunning) return
    isRunning = true
    try {
      while (isWanted) {
        isWanted = false
        await work()
      }
    } finally {
      isRunning = false
    }
  }
}

/** The same, for what nobody waits for: whoever asks next tries again what failed. */
export function soonOnce(work: () => Promise<void>): () => void {
  const run = onceAtATime(work)
  return () => void run().catch(() => {})
}
