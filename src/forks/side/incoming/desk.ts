import type { Transaction } from '../../../store/store.ts'
import type { Channel } from '../../../tree/channel.ts'
import { BoughError } from '../../../tree/error.ts'
import type { SessionID } from '../../../tree/ids.ts'
import type { InboxItem } from '../../../tree/inbox.ts'
import type { Author } from '../../../tree/message.ts'
import type { TurnEnd } from '../../../tree/turn.ts'
import type { RunningTurn } from '../../../turns/running-turn.ts'
import { livingChannel } from '../channel-of.ts'
import { TakenOver } from '../channel-queue.ts'
import { contextOf } from '../prompt-context.ts'
import type { SideParts } from '../side-parts.ts'

/** What it takes to do one thing that came into a channel. */
export interface Desk {
  readonly parts: SideParts
  readonly item: InboxItem
  readonly signal: AbortSignal
  /** Shows a turn where the channel is, from its beginning to its end. */
  show(turn: RunningTurn): Promise<void>
  /** Tells the one who asked. */
  tell(words: string): void
}

export interface DeskTurn {
  readonly sessionID: SessionID
  readonly text: string
  /** Who wrote that, where it was not the person. */
  readonly author?: Author | undefined
  /** What the agent is told besides. */
  readonly notes?: readonly string[]
  /** Whether the person has a part in it: then somebody is there. */
  readonly isPersons?: boolean
  /** What else happens with the prompt, or not at all. */
  within?(tx: Transaction): Promise<void>
}

/** Runs a turn for what came in. Rejects with `Moved` when that session is no longer the one it is meant for. */
export async function runTurn(desk: Desk, turn: DeskTurn): Promise<TurnEnd> {
  const { parts, item, signal } = desk
  const { sessionID, text, author, notes = [], isPersons = false } = turn
  const running = await parts.turns.send(
    sessionID,
    {
      text,
      author,
      before: async (tx, messageID, others) => {
        if (!(await tx.inbox.bind(item.id, parts.process, messageID))) throw new TakenOver()
        await mustStillBeThere(tx, item, sessionID)
        if (isPersons) await tx.sideForks.touch(sessionID, parts.clock(), 'person')
        await turn.within?.(tx)
        return contextOf(parts, tx, sessionID, messageID, [...others, ...notes])
      },
    },
    signal,
  )
  await desk.show(running)
  return running.ended
}

/** The same in a session that has to be found: when main or the fork has moved on meanwhile, it is looked for again. */
export async function runTurnWhere(desk: Desk, find: () => Promise<DeskTurn>): Promise<TurnEnd> {
  for (;;) {
    const turn = await find()
    try {
      return await runTurn(desk, turn)
    } catch (error) {
      if (!(error instanceof Moved)) throw error
    }
  }
}

/** Notes the fork that it has opened. Another process may do it by now: then no fork is opened here. */
export async function noteEntered({ parts, item }: Desk, tx: Transaction, forkID: SessionID): Promise<void> {
  if (!(await tx.inbox.entered(item.id, parts.process, forkID))) throw new TakenOver()
}

// A turn outside the queue may have ended the fork, or moved main, while this one waited for the session.
async function mustStillBeThere(
  tx: Transaction,
  { channelID }: InboxItem,
  sessionID: SessionID,
): Promise<void> {
  const { mainID, openForkID } = await livingChannel(tx, channelID)
  if (sessionID !== openForkID && sessionID !== mainID) throw new Moved()
}

/** The session that something was meant for is neither main nor the open fork any more. */
export class Moved extends BoughError {
  constructor() {
    super('fork_ended', 'That fork is over.')
  }
}

export const channelOfDesk = ({ parts, item }: Desk): Promise<Channel> =>
  livingChannel(parts.store, item.channelID)
