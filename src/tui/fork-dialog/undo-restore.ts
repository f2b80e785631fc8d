import type { UndoOptions } from '../../bough.ts'
import { filesWord } from '../../tree/file-change.ts'
import { ConfirmPanel } from '../panels/confirm-panel.ts'
import type { Tab } from '../tab/tab.ts'
import type { Ui } from '../ui.ts'
import { changeLines } from './change-lines.ts'
import { errorPanel } from './error-panel.ts'
import { known } from './known.ts'

interface Way extends UndoOptions {
  readonly title: string
  /** On the button. */
  readonly yes: string
  readonly done: string
}

/** Takes back the last restore of files in a tab's project, once the person has seen what that changes. */
export const undoRestore = (ui: Ui, tab: Tab): Promise<void> =>
  askFirst(ui, tab, { title: 'Undo the last restore', yes: 'Take it back', done: 'Taken back' })

/** Finishes a restore that was cut off, once the person has seen what that changes. */
export const finishRestore = (ui: Ui, tab: Tab): Promise<void> =>
  askFirst(ui, tab, { title: 'Finish the restore', yes: 'Finish it', done: 'Finished', finish: true })

async function askFirst(ui: Ui, tab: Tab, { title, yes, done, ...how }: Way): Promise<void> {
  const { directory } = tab.session
  const planned = await known(ui.bough.undo(directory, { ...how, dryRun: true }))
  if (!planned.ok) {
    ui.open(errorPanel(ui, title, planned.why))
    return
  }
  const { changes, root } = planned.value
  const doIt = async (): Promise<void> => {
    const end = await known(ui.bough.undo(directory, how))
    if (!end.ok) ui.open(errorPanel(ui, title, end.why))
    else ui.tell(`${done}: ${filesWord(end.value.changes.length)} changed in ${end.value.root}.`)
  }
  ui.open(
    new ConfirmPanel(ui, {
      title,
      question: `This changes ${filesWord(changes.length)} in ${root}:`,
      lines: (columns) => changeLines(planned.value, columns, ui.theme.paint),
      yes,
      does: () => ui.attempt(doIt),
    }),
  )
}
