import type { Transaction } from '../../../store/store.ts'
import type { SessionID } from '../../../tree/ids.ts'
import type { Incoming } from '../../../tree/inbox.ts'
import { summaryWanted } from '../../../tree/prompts.ts'
import type { TurnEnd } from '../../../tree/turn.ts'
import { TakenOver } from '../channel-queue.ts'
import { endFork, over, sideForkOf } from '../end-fork.ts'
import { wishedEnding } from '../settle.ts'
import { type Desk, Moved, runTurn } from './desk.ts'

/** A button, or a command, ends a fork. Whoever comes second is told that it is over. */
export async function exit(desk: Desk, what: Extract<Incoming, { kind: 'exit' }>): Promise<TurnEnd | null> {
  const { parts } = desk
  const { forkID, action, text } = what
  const fork = await sideForkOf(parts.store, forkID)
  if (fork.state === 'ended') throw over(fork)
  await parts.store.transaction((tx) => tx.sideForks.touch(forkID, parts.clock(), 'person'))
  if (action === 'report' && text === null) return reportWithSummary(desk, forkID)
  await endFork(parts, forkID, { action, text })
  return null
}

/**
 * Asks the agent in a fork for a summary; the fork ends with it, in the way that every turn that wished for an end does. Where
 * there is none to be had, the agent's last words are reported.
 */
export async function reportWithSummary(
  desk: Desk,
  forkID: SessionID,
  mayEnd: (tx: Transaction) => Promise<void> = async () => {},
): Promise<null> {
  const { parts } = desk
  let end: TurnEnd | null = null
  try {
    end = await runTurn(desk, {
      sessionID: forkID,
      text: '',
      notes: [summaryWanted],
      within: async (tx) => {
        await mayEnd(tx)
        if (!(await tx.sideForks.wish(forkID, { action: 'report', text: null, turnID: null })))
          throw new Moved()
      },
    })
  } catch (error) {
    if (error instanceof TakenOver || error instanceof Moved || desk.signal.aborted) throw error
  }
  const fork = await sideForkOf(parts.store, forkID)
  if (fork.state === 'open') {
    const ending = await wishedEnding(parts.store, fork)
    // Where the prompt was never stored, nobody has looked since whether it may.
    await endFork(parts, forkID, end === null ? { ...ending, mayEnd } : ending)
  } else if (end === null) throw over(fork)
  return null
}
