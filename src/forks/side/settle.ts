import type { Store } from '../../store/store.ts'
import type { SessionID } from '../../tree/ids.ts'
import type { SideFork } from '../../tree/side-fork.ts'
import { type Ending, type EndParts, endFork } from './end-fork.ts'
import { lastWords } from './last-words.ts'

/**
 * Makes the change that a turn asked for, once that has ended. A background fork ends with its run, an interactive one when
 * somebody wished so.
 */
export async function settle(parts: EndParts, sessionID: SessionID): Promise<void> {
  const { store, clock } = parts
  const fork = await store.sideForks.get(sessionID)
  if (fork?.state !== 'open' || fork.kind !== 'interactive') return
  if (fork.wish) await endFork(parts, sessionID, await wishedEnding(store, fork))
  else await store.transaction((tx) => tx.sideForks.touch(sessionID, clock(), 'agent'))
}

/** How a fork ends, as it was wished; without a wish it is reported. A report without words has the agent's last ones. */
export async function wishedEnding(store: Store, { sessionID, wish, promptedAt }: SideFork): Promise<Ending> {
  const { action, text, turnID } = wish ?? { action: 'report', text: null, turnID: null }
  // Neither the agent nor the person wished so: the person would have taken back that the agent was asked.
  const isTimedOut = turnID === null && promptedAt !== null
  return {
    action,
    text: text ?? (await lastWords(store, sessionID)),
    ...(isTimedOut && { reason: 'Nobody said anything any more.' }),
  }
}
