import type { ForkOptions } from '../../bough.ts'
import type { Ui } from '../ui.ts'
import { ProgressPanel } from './progress-panel.ts'

/** What the making of a fork is given, so that it can be watched and given up. */
export type Watched = Required<Pick<ForkOptions, 'signal' | 'onSetUp'>>

/**
 * Does what makes a fork, and shows how far that is. Null where the person gave it up, and then nothing of it is there;
 * rejects where it failed. What was made before anybody could stop it is there, and the person is told.
 */
export async function withProgress<T>(ui: Ui, work: (watched: Watched) => Promise<T>): Promise<T | null> {
  const giveUp = new AbortController()
  const { signal } = giveUp
  const panel = new ProgressPanel(ui, () => giveUp.abort())
  ui.open(panel)
  try {
    const made = await work({ signal, onSetUp: (text) => panel.print(text) })
    if (signal.aborted) ui.tell('It was too late to give it up: the fork is made.', 'warning')
    return made
  } catch (error) {
    if (signal.aborted) return null
    throw error
  } finally {
    ui.close(panel)
  }
}
