import { type Frame, filled, linesOnly, widthOf } from '../screen/frame.ts'
import type { Tab } from '../tab/tab.ts'

/** Says that the person looks back, and what for. */
export function backtrackHeader({ ui: { theme } }: Tab, columns: number): Frame {
  return linesOnly(theme.paint('selected', filled(' BACKTRACK MODE  choose where to fork', columns)))
}

/** The keys that count while the person looks back; in a narrow terminal the most needed ones. */
export function backtrackFooter(tab: Tab, columns: number): readonly string[] {
  const { keys, theme } = tab.ui
  const back = keys.wordsFor('backtrack.back')
  const { isRunning } = tab.conversation
  const fork = isRunning ? 'a turn runs: no fork now' : `${keys.wordsFor('backtrack.fork')} fork here`
  const dialog = isRunning ? [] : [`${keys.wordsFor('backtrack.dialog')} fork dialog`]
  const own = `${keys.wordsFor('backtrack.own')} your messages`
  const cancel = `${back}×3 cancel`
  const fewest = [`${back} back`, fork, cancel]
  const some = fewest.toSpliced(2, 0, ...dialog)
  const all = some.toSpliced(-1, 0, own)
  const found = [all, some, fewest]
    .map((words) => ` ${words.join(' · ')}`)
    .find((line) => widthOf(line) <= columns)
  return [theme.paint('dim', '─'.repeat(columns)), filled(found ?? fewest.join('·'), columns)]
}
