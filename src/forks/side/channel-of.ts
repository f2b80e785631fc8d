import { livingSession } from '../../store/find.ts'
import type { Reader, Transaction } from '../../store/store.ts'
import { type Channel, ownFrontEnd } from '../../tree/channel.ts'
import { BoughError } from '../../tree/error.ts'
import { type ChannelID, isSessionID, type SessionID, type TurnID } from '../../tree/ids.ts'
import type { SideParts } from './side-parts.ts'

export async function livingChannel(reader: Pick<Reader, 'channels'>, id: ChannelID): Promise<Channel> {
  const channel = await reader.channels.get(id)
  if (!channel) throw new BoughError('not_found', `There is no channel ${id}.`)
  return channel
}

/** A channel, by its own id or by that of a session that belongs to it. */
export const channelAt = (
  parts: Pick<SideParts, 'ids' | 'clock'>,
  tx: Transaction,
  where: ChannelID | SessionID,
): Promise<Channel> => (isSessionID(where) ? channelOf(parts, tx, where) : livingChannel(tx, where))

/** The channel whose open fork or main a session is; one of its own where there is none. */
export async function channelOf(
  { ids, clock }: Pick<SideParts, 'ids' | 'clock'>,
  tx: Transaction,
  sessionID: SessionID,
): Promise<Channel> {
  await livingSession(tx, sessionID)
  const fork = await tx.sideForks.get(sessionID)
  if (fork?.state === 'open') return livingChannel(tx, fork.channelID)
  const [channel] = await tx.channels.withMain(sessionID)
  if (channel) return channel
  const id = ids.channel()
  await tx.channels.insert({ id, frontEnd: ownFrontEnd, key: id, mainID: sessionID, created: clock() })
  return livingChannel(tx, id)
}

/** The channel that a turn runs in: what came in there began it. Otherwise the one of its session. */
export async function channelOfTurn(
  parts: Pick<SideParts, 'ids' | 'clock'>,
  tx: Transaction,
  { sessionID, turnID }: { readonly sessionID: SessionID; readonly turnID: TurnID | null },
): Promise<Channel> {
  const turn = turnID && (await tx.turns.get(turnID))
  const item = turn ? await tx.inbox.ofMessage(turn.promptID) : null
  const channel = item && (await tx.channels.get(item.channelID))
  return channel ?? channelOf(parts, tx, sessionID)
}
