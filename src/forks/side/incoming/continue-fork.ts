import type { SessionID } from '../../../tree/ids.ts'
import { type EnterOptions, enterFork } from '../enter-fork.ts'
import type { Desk } from './desk.ts'

/** Opens an interactive fork of a fork that somebody answered; once, also when this is done again after a crash. */
export async function continueFork(
  { parts, item }: Desk,
  from: SessionID,
  origin: 'reply' | 'button',
  within?: EnterOptions['within'],
): Promise<SessionID> {
  // It goes on with that run, and may no more than that.
  const { allowedTools = null } = (await parts.store.sideForks.get(from)) ?? {}
  const { sessionID } = await enterFork(parts, item.channelID, {
    kind: 'interactive',
    origin,
    from,
    allowedTools,
    async within(tx, sessionID) {
      await tx.inbox.entered(item.id, sessionID)
      await within?.(tx, sessionID)
    },
  })
  return sessionID
}
