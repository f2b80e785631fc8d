import { BoughError } from '../tree/error.ts'

export interface Limits {
  /** Gives it up. */
  readonly stop: AbortSignal
  /** Milliseconds until it is given up by itself. */
  readonly patience: number
  /** For a person: what did not come. */
  readonly what: string
}

/** Waits for something that may never come. What comes too late is handed to `onLate`. */
export async function within<T>(
  coming: Promise<T>,
  { stop, patience, what }: Limits,
  onLate: (late: T) => Promise<void> = async () => {},
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onStop = () => reject(stop.reason)
  if (stop.aborted) onStop()
  else stop.addEventListener('abort', onStop)
  const timer = setTimeout(() => reject(new BoughError('agent_failed', `${what} did not come.`)), patience)
  try {
    return await Promise.race([coming, promise])
  } catch (error) {
    void coming.then(onLate).catch(() => {})
    throw error
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', onStop)
  }
}
