import type { Transaction } from '../../../store/store.ts'
import type { Incoming } from '../../../tree/inbox.ts'
import { forkTimeout } from '../../../tree/prompts.ts'
import type { SideFork } from '../../../tree/side-fork.ts'
import type { TurnEnd } from '../../../tree/turn.ts'
import { TakenOver } from '../channel-queue.ts'
import { idleStep } from '../idle-step.ts'
import { type Desk, Moved, runTurn } from './desk.ts'
import { reportWithSummary } from './exit.ts'

/** What the idle timer wants done. The state is read again: somebody may have said something, or ended the fork. */
export async function idle(
  desk: Desk,
  { forkID }: Extract<Incoming, { kind: 'idle' }>,
): Promise<TurnEnd | null> {
  const { store, clock } = desk.parts
  const fork = await store.sideForks.get(forkID)
  if (!fork) return null
  const isRunning = (await store.turns.running(forkID)) !== null
  const step = idleStep(fork, isRunning, clock())
  // And once more when the session is ours: somebody may talk in it beside the queue.
  const mustStillBe = async (tx: Transaction): Promise<void> => {
    const now = await tx.sideForks.get(forkID)
    if (!now || idleStep(now, false, clock()) !== step) throw new Moved()
  }
  try {
    if (step === 'ask') return await ask(desk, fork, mustStillBe)
    if (step === 'end') return await reportWithSummary(desk, forkID, mustStillBe)
  } catch (error) {
    if (!(error instanceof Moved)) throw error
  }
  return null
}

async function ask(
  desk: Desk,
  { sessionID, idleTimeout }: SideFork,
  mustStillBe: (tx: Transaction) => Promise<void>,
): Promise<TurnEnd | null> {
  const { store, clock } = desk.parts
  try {
    return await runTurn(desk, {
      sessionID,
      text: '',
      notes: [forkTimeout(idleTimeout)],
      async within(tx) {
        await mustStillBe(tx)
        await tx.sideForks.prompt(sessionID, clock())
      },
    })
  } catch (error) {
    if (error instanceof Moved || error instanceof TakenOver || desk.signal.aborted) throw error
    // It was asked as well as it could be: otherwise it would be asked again and again.
    await store.transaction(async (tx) => {
      await mustStillBe(tx)
      await tx.sideForks.prompt(sessionID, clock())
    })
    throw error
  }
}
