import type { SideFork } from '../../tree/side-fork.ts'
import type { ChannelQueue } from './channel-queue.ts'
import { idleStep } from './idle-step.ts'
import type { SideParts } from './side-parts.ts'

/**
 * Looks which forks nobody says anything in. What is to be done about one takes its place in the queue of its channel: by then
 * things may have changed, and are looked at again.
 */
export async function lookForIdle(
  { store, clock }: Pick<SideParts, 'store' | 'clock'>,
  queue: ChannelQueue,
): Promise<void> {
  for (const fork of await store.sideForks.open()) {
    const isRunning = (await store.turns.running(fork.sessionID)) !== null
    if (idleStep(fork, isRunning, clock()) === 'wait') continue
    const item = queue.newItem(fork.channelID, { kind: 'idle', forkID: fork.sessionID })
    const isNew = await store.transaction(async (tx) => {
      if ((await tx.inbox.open(fork.channelID)).some(({ what }) => isAbout(what, fork))) return false
      await tx.inbox.insert(item)
      return true
    })
    if (isNew) queue.runAlone(item)
  }
}

const isAbout = (
  what: { readonly kind: string; readonly forkID?: string },
  { sessionID }: SideFork,
): boolean => what.kind === 'idle' && what.forkID === sessionID
