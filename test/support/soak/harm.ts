import { setTimeout as pause } from 'node:timers/promises'
import { randomFrom } from '../random.ts'
import { isLocked } from '../write-lock.ts'
import type { KeptProcess } from './kept-process.ts'
import type { Length } from './length.ts'

/** What was done to a process. */
export interface Harm {
  kills: number
  freezes: number
}

/** Kills a process of the store in `file`, or holds it for a while, again and again; it runs when this is over. */
export async function harm(
  kept: KeptProcess,
  file: string,
  { between, isWarm }: Length,
  seed: number,
  over: AbortSignal,
): Promise<Harm> {
  const random = randomFrom(seed)
  const done = { kills: 0, freezes: 0 }
  while (!over.aborted) {
    await waitFor(random() * 2 * between, over)
    if (over.aborted) break
    if (random() < 0.3 || (kept.growsOld && isWarm())) {
      if (!freeze(kept, file)) continue
      done.freezes++
      // Some of them are longer than a lease, so that others take its sessions over.
      await waitFor(random() * Math.min(between, 15_000), over)
      kept.signal('SIGCONT')
    } else {
      await kept.kill()
      done.kills++
      await waitFor(random() * 1_000, over)
      kept.start()
      // The next harm may come while it starts, too.
      if (random() < 0.8) await kept.ready()
    }
  }
  return done
}

/** Holds it, but never inside a transaction: there it would hold the lock of the whole store. */
function freeze(kept: KeptProcess, file: string): boolean {
  kept.signal('SIGSTOP')
  if (!isLocked(file)) return true
  kept.signal('SIGCONT')
  return false
}

/** Resolves early when it is over. */
export const waitFor = (milliseconds: number, over: AbortSignal): Promise<void> =>
  pause(milliseconds, undefined, { signal: over }).catch(() => {})
