import type { SessionID } from '../../../tree/ids.ts'
import type { Incoming } from '../../../tree/inbox.ts'
import type { TurnEnd } from '../../../tree/turn.ts'
import { nextChange } from '../../../turns/next-change.ts'
import { alreadyInFork, enterFork } from '../enter-fork.ts'
import { channelOfDesk, type Desk, noteEntered, runTurn } from './desk.ts'

type WantedFork = Extract<Incoming, { kind: 'fork' }>

/** Opens a fork of main for the person, or for the agent whose turn asked for it. Its topic is its first message. */
export async function fork(desk: Desk, what: WantedFork): Promise<TurnEnd | null> {
  const { item } = desk
  const sessionID = item.forkID ?? (await enter(desk, what))
  if (what.topic === null) return null
  const isPersons = what.turnID === null
  return runTurn(desk, { sessionID, text: what.topic, isPersons, ...(!isPersons && { author: 'agent' }) })
}

async function enter(desk: Desk, { topic, idleTimeout, turnID }: WantedFork): Promise<SessionID> {
  const { parts, item } = desk
  const { sessionID } = await enterFork(parts, item.channelID, {
    kind: 'interactive',
    origin: turnID === null ? 'person' : 'agent',
    from: await quietMain(desk),
    topic,
    idleTimeout,
    within: (tx, forkID) => noteEntered(desk, tx, forkID),
  })
  return sessionID
}

// Nothing of the queue runs now, but somebody may talk in main beside it, and a background run may become main meanwhile.
async function quietMain(desk: Desk): Promise<SessionID> {
  const { store } = desk.parts
  for (;;) {
    const { mainID, openForkID } = await channelOfDesk(desk)
    if (openForkID !== null) throw alreadyInFork()
    if (!(await store.turns.running(mainID))) return mainID
    await nextChange(store, desk.signal)
  }
}
