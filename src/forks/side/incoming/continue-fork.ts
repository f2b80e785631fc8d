import type { SessionID } from '../../../tree/ids.ts'
import { type EnterOptions, enterFork } from '../enter-fork.ts'
import { type Desk, noteEntered } from './desk.ts'

/** Opens an interactive fork of a fork that somebody answered; once, also when this is done again after a crash. */
export async function continueFork(
  desk: Desk,
  from: SessionID,
  origin: 'reply' | 'button',
  within?: EnterOptions['within'],
): Promise<SessionID> {
  const { parts, item } = desk
  // It goes on with that run, and may no more than that.
  const { allowedTools = null } = (await parts.store.sideForks.get(from)) ?? {}
  const { sessionID } = await enterFork(parts, item.channelID, {
    kind: 'interactive',
    origin,
    from,
    allowedTools,
    async within(tx, sessionID) {
      await noteEntered(desk, tx, sessionID)
      await within?.(tx, sessionID)
    },
  })
  return sessionID
}
