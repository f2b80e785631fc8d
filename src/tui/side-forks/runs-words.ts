import type { Permission } from '../../tree/permission.ts'
import type { SideFork } from '../../tree/side-fork.ts'
import type { Place } from '../tab/place.ts'
import { aboutRun, stateWords, waitsForYou } from './run-words.ts'

/** How the runs of a channel stand, on one line: those that go on, and those that ended unseen. Empty where there is none. */
export function runsWords(
  { runs }: Pick<Place, 'runs'>,
  unseen: readonly SideFork[],
  permissions: readonly Permission[],
): string {
  const waiting = runs.filter((run) => waitsForYou(run, permissions))
  const first = waiting.at(-1) ?? runs.at(-1)
  if (first) {
    const ask =
      waiting.length === 0 ? '' : runs.length === 1 ? ' waits for you' : `, ${askWords(waiting.length)}`
    const ended = unseen.length === 0 ? '' : `, ${unseen.length} ended`
    return `⟳ ${runsWord(runs.length)}${ask}${ended}: ${aboutRun(first)}`
  }
  const newest = unseen[0]
  if (!newest) return ''
  const how = unseen.length === 1 ? `, ${stateWords(newest, permissions)}` : ''
  return `○ ${runsWord(unseen.length)} ended${how}: ${aboutRun(newest)}`
}

const askWords = (count: number): string => (count === 1 ? '1 waits for you' : `${count} wait for you`)

const runsWord = (count: number): string => (count === 1 ? '1 run' : `${count} runs`)
