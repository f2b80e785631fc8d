import { filesWord } from '../../tree/file-change.ts'
import type { Tab } from '../tab/tab.ts'
import type { Ui } from '../ui.ts'
import { changeLines } from './change-lines.ts'
import { ConfirmPanel } from './confirm-panel.ts'
import { errorPanel } from './error-panel.ts'
import { known } from './known.ts'

const title = 'Undo the last restore'

/** Takes back the last restore of files in a tab's project, once the person has seen what that changes. */
export async function undoRestore(ui: Ui, tab: Tab): Promise<void> {
  const { directory } = tab.session
  const planned = await known(ui.bough.undo(directory, { dryRun: true }))
  if (!planned.ok) {
    ui.open(errorPanel(ui, title, planned.why))
    return
  }
  const { changes, root } = planned.value
  ui.open(
    new ConfirmPanel(ui, {
      title,
      question: `This changes ${filesWord(changes.length)} in ${root}:`,
      lines: (columns) => changeLines(planned.value, columns, ui.theme.paint),
      yes: 'Take it back',
      does: () => ui.attempt(() => undo(ui, directory)),
    }),
  )
}

async function undo(ui: Ui, directory: string): Promise<void> {
  const done = await known(ui.bough.undo(directory))
  if (!done.ok) ui.open(errorPanel(ui, title, done.why))
  else ui.tell(`Taken back: ${filesWord(done.value.changes.length)} changed in ${done.value.root}.`)
}
