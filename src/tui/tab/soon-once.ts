/**
 * Does something again and again, never twice at once: what is asked for while it goes on is done once more after it. What
 * fails is tried when it is asked for next.
 */
export function soonOnce(work: () => Promise<void>): () => void {
  let isRunning = false
  let isWanted = false
  const run = async (): Promise<void> => {
    isRunning = true
    try {
      while (isWanted) {
        isWanted = false
        await work()
      }
    } catch {
      // Whoever asks next tries again.
    } finally {
      isRunning = false
    }
  }
  return () => {
    isWanted = true
    if (!isRunning) void run()
  }
}
