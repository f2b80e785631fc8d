import type { Channel } from '../../../tree/channel.ts'
import type { SessionID } from '../../../tree/ids.ts'
import type { Incoming } from '../../../tree/inbox.ts'
import { linksLast } from '../../../tree/link.ts'
import { quoted } from '../../../tree/prompts.ts'
import type { TurnEnd } from '../../../tree/turn.ts'
import { continueFork } from './continue-fork.ts'
import { channelOfDesk, type Desk, runTurnWhere } from './desk.ts'

type SaidMessage = Extract<Incoming, { kind: 'message' }>

/** A message goes to the open fork, else to main; in reply to what a fork sent, it goes on with that fork. */
export async function message(desk: Desk, what: SaidMessage): Promise<TurnEnd> {
  return runTurnWhere(desk, async () => ({
    ...(await placeFor(desk, what)),
    text: what.text,
    isPersons: true,
  }))
}

interface Place {
  readonly sessionID: SessionID
  readonly notes: readonly string[]
}

async function placeFor(desk: Desk, { replyTo }: SaidMessage): Promise<Place> {
  const channel = await channelOfDesk(desk)
  const { openForkID, mainID } = channel
  const current = openForkID ?? mainID
  if (replyTo === null) return { sessionID: current, notes: [] }
  const notes = [quoted(replyTo.text)]
  const { forkID } = desk.item
  if (forkID !== null && forkID === openForkID) return { sessionID: forkID, notes }
  const linked = await linkedFork(desk, channel, replyTo.externalID)
  if (linked === 'too-old') desk.tell('That run is too old to go on with. Your reply quotes it instead.')
  if (linked === 'none' || linked === 'too-old') return { sessionID: current, notes }
  if (openForkID === null) return { sessionID: await continueFork(desk, linked, 'reply'), notes }
  desk.tell('You are in a fork: your reply goes there, and quotes what you replied to.')
  return { sessionID: openForkID, notes }
}

/** The fork that sent a message. What main sent is no fork's, also when main was one. */
async function linkedFork(
  { parts: { store, clock } }: Desk,
  { id, mainID }: Channel,
  externalID: string,
): Promise<SessionID | 'none' | 'too-old'> {
  const link = await store.links.get(id, externalID)
  if (!link) return 'none'
  if (link.sessionID === null || link.created + linksLast < clock()) return 'too-old'
  const session = await store.sessions.get(link.sessionID)
  if (!session || session.deleted) return 'too-old'
  return session.id === mainID ? 'none' : session.id
}
