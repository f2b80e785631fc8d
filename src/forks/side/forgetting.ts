import { livenessOf } from '../../process-identity.ts'
import { linksLast } from '../../tree/link.ts'
import type { SideParts } from './side-parts.ts'
import type { Job } from './timekeeper.ts'

const forgetEvery = 60 * 60_000
/** Milliseconds that is known what became of a schedule's times. */
const runsLast = 90 * 24 * 60 * 60_000

/**
 * Takes out, now and then, what is too old for anybody to come back to, and processes that are gone. One of before a restart, or
 * of another machine, may be gone too; who still works there shows it again.
 */
export function forgetting({ store, clock }: Pick<SideParts, 'store' | 'clock'>): Job {
  let forgotten = 0
  return async () => {
    const now = clock()
    if (now - forgotten < forgetEvery) return
    forgotten = now
    const before = now - linksLast
    const gone = (await store.processes.all()).filter((process) => livenessOf(process) !== 'alive')
    await store.transaction(async (tx) => {
      for (const process of gone) await tx.processes.remove(process)
      await tx.links.forget(before)
      await tx.inbox.forget(before)
      await tx.outbox.forget(before)
      await tx.updates.forget(before)
      await tx.schedules.forget(now - runsLast)
    })
  }
}
