import type { Transaction } from '../../store/store.ts'
import type { ChannelID, SessionID } from '../../tree/ids.ts'
import type { Outgoing } from '../../tree/outgoing.ts'
import type { SideParts } from './side-parts.ts'

/** Leaves something to be shown in a channel. */
export async function post(
  tx: Transaction,
  { ids, clock }: Pick<SideParts, 'ids' | 'clock'>,
  channelID: ChannelID,
  sessionID: SessionID,
  what: Outgoing,
): Promise<void> {
  const item = { id: ids.outbox(), channelID, sessionID, what, created: clock() }
  await tx.outbox.insert({ ...item, state: 'waiting', process: null, externalID: null })
}
