import type { ActionName } from '../keys/actions.ts'
import { type Frame, filled, linesOnly, widthOf } from '../screen/frame.ts'
import type { Tab } from '../tab/tab.ts'

/** Says that the person looks back, and what for. */
export function backtrackHeader({ ui: { theme } }: Tab, columns: number): Frame {
  return linesOnly(theme.paint('selected', filled(' BACKTRACK MODE  choose where to fork', columns)))
}

/** The keys that count while the person looks back; in a narrow terminal the most needed ones. */
export function backtrackFooter(tab: Tab, columns: number): readonly string[] {
  const back = keyOf(tab, 'backtrack.back')
  const { isRunning } = tab.conversation
  const fork = isRunning ? 'a turn runs: no fork now' : `${keyOf(tab, 'backtrack.fork')} fork here`
  const dialog = isRunning ? [] : [`${keyOf(tab, 'backtrack.dialog')} fork dialog`]
  const own = `${keyOf(tab, 'backtrack.own')} your messages`
  const cancel = `${back}×3 cancel`
  const fewest = [`${back} back`, fork, cancel]
  const some = fewest.toSpliced(2, 0, ...dialog)
  const all = some.toSpliced(-1, 0, own)
  const found = [all, some, fewest]
    .map((words) => ` ${words.join(' · ')}`)
    .find((line) => widthOf(line) <= columns)
  return [tab.ui.theme.paint('dim', '─'.repeat(columns)), filled(found ?? fewest.join('·'), columns)]
}

// A single letter is meant as it is typed, without Shift.
function keyOf({ ui: { keys } }: Tab, name: ActionName): string {
  const words = keys.wordsFor(name)
  return words.length === 1 ? words.toLowerCase() : words
}
