import type { SessionID } from '../../tree/ids.ts'
import { type EndedFork, type ForkChanges, leftBehindWords, type SideFork } from '../../tree/side-fork.ts'
import { nextChange } from '../../turns/next-change.ts'
import type { BackgroundRuns } from './background-runs.ts'
import { changesLeft, type Ending, type EndParts, endFork, noChanges, postChanges } from './end-fork.ts'

/** Milliseconds that somebody who ends a run waits for its turn to be closed, and then for its files to be captured. */
const patience = { turn: 10_000, files: 2_000 }

/** Ends a background run that somebody does not want any more. What it changed is known when its turn is closed. */
export async function endRun(
  parts: EndParts,
  runs: BackgroundRuns,
  fork: SideFork,
  ending: Ending,
): Promise<EndedFork> {
  const { store } = parts
  const { sessionID } = fork
  const ended = await endFork(parts, sessionID, { ...ending, files: noChanges })
  await runs.stop(sessionID, 'Somebody has ended this run.')
  const files = await changesOnceStopped(parts, sessionID)
  await store.transaction((tx) => postChanges(parts, tx, fork, ended.outcome, files))
  const words = [ended.words, leftBehindWords(files)].filter((each) => each !== '').join(' ')
  return { ...ended, files, words }
}

async function changesOnceStopped(parts: EndParts, sessionID: SessionID): Promise<ForkChanges> {
  const { store } = parts
  const wait = async (milliseconds: number, isOver: () => Promise<boolean>): Promise<void> => {
    const limit = AbortSignal.timeout(milliseconds)
    while (!limit.aborted && !(await isOver())) await nextChange(store, limit).catch(() => {})
  }
  await wait(patience.turn, async () => (await store.turns.running(sessionID)) === null)
  await wait(patience.files, async () => !(await changesLeft(parts, sessionID)).isPartial)
  return changesLeft(parts, sessionID)
}
