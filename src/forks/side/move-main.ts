import type { Agents } from '../../agents/agents.ts'
import { livingSession } from '../../store/find.ts'
import type { Transaction } from '../../store/store.ts'
import type { Channel } from '../../tree/channel.ts'
import { BoughError } from '../../tree/error.ts'
import type { ChannelID, SessionID } from '../../tree/ids.ts'
import { positionOf } from '../../tree/line.ts'
import { livingChannel } from './channel-of.ts'
import type { EndParts } from './end-fork.ts'
import { reachedOn, takeBackUnsent } from './unsent-updates.ts'

/**
 * Makes any session the main of a channel. What was main before stays a session like any other. Refused while a fork is open
 * there, or a turn runs in main: what was said after it would go elsewhere than it was meant for.
 */
export function promote(
  { store, agents }: Pick<EndParts, 'store' | 'agents'>,
  channelID: ChannelID,
  sessionID: SessionID,
): Promise<Channel> {
  return store.transaction(async (tx) => {
    const channel = await livingChannel(tx, channelID)
    await livingSession(tx, sessionID)
    if (channel.mainID === sessionID) return channel
    if (channel.openForkID !== null)
      throw new BoughError('fork_open', 'A fork is open here. End it first: /save, /report or /exit.')
    if ((await tx.sideForks.get(sessionID))?.state === 'open')
      throw new BoughError('fork_open', 'That fork is still open. End it first; then it can be main.')
    if (await tx.turns.running(channel.mainID))
      throw new BoughError('session_busy', 'A turn runs in main. Wait until it ends, or interrupt it.')
    await moveMain(tx, agents, channel, sessionID)
    return livingChannel(tx, channelID)
  })
}

/** Moves the pointer of a channel, with what forks reported and the new main has not been told. */
export async function moveMain(
  tx: Transaction,
  agents: Agents,
  { id, mainID }: Channel,
  sessionID: SessionID,
): Promise<void> {
  await tx.channels.moveMain(id, mainID, sessionID)
  tx.record({ kind: 'main.moved', sessionID, subjectID: id })
  await takeBackUnsent(tx, agents, mainID)
  await clearKnown(tx, agents, id, sessionID)
}

// What was shown on its line, or reported from there, the new main knows.
async function clearKnown(
  tx: Transaction,
  agents: Agents,
  channelID: ChannelID,
  sessionID: SessionID,
): Promise<void> {
  const reached = await reachedOn(tx, agents, sessionID)
  const line = await tx.sessions.line(sessionID)
  for (const update of await tx.updates.waiting(channelID)) {
    const isOwn = line.some(
      ({ sessionID: owner, last }) => owner === update.sessionID && last > update.afterSeq,
    )
    const shown = await Promise.all((await tx.updates.seenIn(update.id)).map((id) => tx.messages.get(id)))
    const isKnown = shown.some((message) => {
      const position = message && positionOf(line, message.sessionID, message.seq)
      return position !== null && position <= reached
    })
    if (isOwn || isKnown) await tx.updates.remove(update.id)
  }
}
