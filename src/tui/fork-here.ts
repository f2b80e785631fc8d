import type { Session } from '../tree/session.ts'
import type { Beginning } from './backtrack/look-back.ts'
import { known } from './fork-dialog/known.ts'
import { pointOf } from './fork-dialog/wish.ts'
import { withProgress } from './fork-dialog/with-progress.ts'
import type { Panel } from './panels/panel.ts'
import type { Tab } from './tab/tab.ts'
import type { Ui } from './ui.ts'

/**
 * Forks what a tab shows, where the person has looked back to, or with null at its end, and opens the fork in a tab. Where
 * that would leave dirty files behind, or is wanted, it asks with the fork dialog. What fails leaves everything as it was.
 */
export async function forkHere(
  ui: Ui,
  tab: Tab,
  beginning: Beginning | null,
  withDialog: boolean,
): Promise<void> {
  const { session } = tab
  const { bough } = ui
  // From the first key on, so that a second one does nothing twice.
  const forking = withProgress(ui, async ({ signal, onSetUp }) => {
    const isRunning = tab.conversation.isRunning || (await bough.session(session.id)).state === 'running'
    const isAsked = !isRunning && (withDialog || (await leavesDirtyFiles(ui, session, beginning)))
    signal.throwIfAborted()
    if (isRunning) return 'running'
    if (isAsked) return 'dialog'
    return bough.fork(session.id, { ...pointOf(beginning), signal, onSetUp })
  })
  const end = await known(forking)
  const open = (load: () => Promise<Panel>): void => ui.openSoon('fork.dialog', load)
  if (!end.ok) open(async () => (await errors()).errorPanel(ui, 'The fork failed', end.why))
  else if (end.value === null) ui.tell('Given up: no fork was made.')
  else if (end.value === 'running') open(async () => (await errors()).turnRunsPanel(ui))
  else if (end.value === 'dialog')
    open(async () => (await import('./fork-dialog/fork-dialog.ts')).forkDialog(ui, tab, beginning))
  else {
    const { openFork } = await import('./fork-dialog/open-fork.ts')
    await openFork(ui, tab, end.value, beginning?.text ?? null)
  }
}

const errors = () => import('./fork-dialog/error-panel.ts')

// What is not committed now is not in the worktree that the fork would get.
async function leavesDirtyFiles(
  { bough }: Ui,
  { id }: Session,
  beginning: Beginning | null,
): Promise<boolean> {
  const [{ files }, { git }] = await Promise.all([
    bough.previewFork(id, { ...pointOf(beginning), files: 'auto' }),
    bough.status(id, pointOf(beginning)),
  ])
  return files.mode === 'worktree' && git !== null && git.dirty !== 0
}
