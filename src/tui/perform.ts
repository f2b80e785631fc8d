import type { ExitAction } from '../tree/side-fork.ts'
import { beginningOf, lookBack } from './backtrack/look-back.ts'
import { forkHere } from './fork-here.ts'
import { helpPanel } from './help/help.ts'
import type { ActionName, PlacedAction } from './keys/actions.ts'
import { palette } from './palette/palette.ts'
import type { Ui } from './ui.ts'

/** Milliseconds in which a second Ctrl+C quits. */
const again = 1500

/** What an action that counts anywhere, or at the composer, does. False where it does nothing just now. */
export function perform(ui: Ui, name: ActionName): boolean {
  const { tab } = ui
  switch (name) {
    case 'palette.open':
      ui.open(palette(ui))
      return true
    case 'help.open':
      ui.open(helpPanel(ui))
      return true
    case 'composer.help':
      if (!tab.composer.isEmpty) return false
      ui.open(helpPanel(ui))
      return true
    case 'tree.open':
      ui.openSoon(name, async () => (await import('./session-tree/session-tree.ts')).sessionTree(ui))
      return true
    case 'compare.open':
      ui.openSoon(name, async () =>
        (await import('./session-tree/session-tree.ts')).sessionTree(ui, tab.session.id),
      )
      return true
    case 'runs.open':
      ui.openSoon(name, async () => new (await import('./side-forks/runs-panel.ts')).RunsPanel(ui, tab))
      return true
    case 'updates.open':
      ui.openSoon(name, async () => (await import('./side-forks/updates-panel.ts')).updatesPanel(ui, tab))
      return true
    case 'updates.clear':
      ui.openSoon(name, async () => (await import('./side-forks/updates-panel.ts')).clearPanel(ui, tab))
      return true
    case 'approvals.open':
      ui.openApprovals()
      return true
    case 'reply.open':
      ui.openSoon(name, async () => (await import('./side-forks/reply-list.ts')).replyList(ui, tab))
      return true
    case 'buttons.open':
      ui.openSoon(name, async () => (await import('./side-forks/buttons.ts')).buttonList(ui, tab))
      return true
    case 'fork.dialog':
      forkWithDialog(ui)
      return true
    case 'undo.restore':
      ui.attempt(async () => (await import('./fork-dialog/undo-restore.ts')).undoRestore(ui, tab))
      return true
    case 'fork.save':
      return exit(ui, 'save')
    case 'fork.report':
      return exit(ui, 'report')
    case 'fork.discard':
      return exit(ui, 'discard')
    case 'tab.new':
      ui.attempt(async () => {
        const { agent, directory } = tab.session
        const made = await ui.bough.create({ agent, directory: ui.directory ?? directory })
        await ui.openTab(made, { isNew: true })
      })
      return true
    case 'tab.next':
      return turnTo(ui, 1)
    case 'tab.previous':
      return turnTo(ui, -1)
    case 'tab.go1':
    case 'tab.go2':
    case 'tab.go3':
    case 'tab.go4':
    case 'tab.go5':
    case 'tab.go6':
    case 'tab.go7':
    case 'tab.go8':
    case 'tab.go9':
      return goTo(ui, Number(name.slice(-1)))
    case 'tab.close':
      closeTab(ui)
      return true
    case 'search.open':
      ui.openSoon(name, async () => new (await import('./search/search-panel.ts')).SearchPanel(ui))
      return true
    case 'tools.toggle':
      tab.transcript.toggleAll()
      return true
    case 'scroll.pageUp':
      tab.transcript.scrollPages(-1)
      return true
    case 'scroll.pageDown':
      tab.transcript.scrollPages(1)
      return true
    case 'scroll.up':
      tab.transcript.scroll(-1)
      return true
    case 'scroll.down':
      tab.transcript.scroll(1)
      return true
    case 'scroll.top':
      ui.attempt(() => tab.transcript.toStart())
      return true
    case 'scroll.end':
      tab.transcript.toEnd()
      return true
    case 'composer.escape':
      pressEscape(ui)
      return true
    case 'composer.interrupt':
      interrupt(ui)
      return true
    case 'composer.end':
      if (!tab.composer.isEmpty) return false
      quit(ui)
      return true
    case 'app.quit':
      quit(ui)
      return true
    case 'app.suspend':
      ui.suspend()
      return true
    case 'keys.open':
      ui.openSoon(name, async () => (await import('./help/keys-panel.ts')).keysPanel(ui))
      return true
    default:
      name satisfies PlacedAction
      return false
  }
}

// While what is looked back to is still being loaded there is nothing to fork.
function forkWithDialog(ui: Ui): void {
  const { tab } = ui
  const beginning = beginningOf(tab)
  if (beginning || !tab.backtrack.on) ui.attempt(() => forkHere(ui, tab, beginning, true))
}

function pressEscape(ui: Ui): void {
  const { tab } = ui
  // What lies over the rest goes first.
  if (ui.shownAside) ui.shownAside.act('approval.later')
  else if (tab.conversation.isRunning) tab.interrupt()
  else if (!tab.composer.isEmpty) tab.composer.clear()
  else if (tab.replyTo) tab.replyTo = null
  else lookBack(tab)
}

function interrupt(ui: Ui): void {
  const { tab } = ui
  if (tab.conversation.isRunning) tab.interrupt()
  else if (!tab.composer.isEmpty) tab.composer.clear()
  else if (ui.isAgain('composer.interrupt', again)) quit(ui)
  else ui.tell(`${ui.keys.wordsFor('composer.interrupt')} again quits.`)
}

function exit(ui: Ui, action: ExitAction): boolean {
  const { tab } = ui
  ui.attempt(async () => (await import('./side-forks/end-fork.ts')).endFork(tab, action))
  return true
}

// The last one for 9, as in browsers.
function goTo(ui: Ui, number: number): boolean {
  const next = number === 9 ? ui.tabs.at(-1) : ui.tabs[number - 1]
  if (next) ui.showTab(next)
  return true
}

// The last one is the program: it is left as it is, and is there again next time.
function closeTab(ui: Ui): void {
  const key = ui.keys.wordsFor('tab.close')
  if (ui.tabs.length > 1) ui.closeTab(ui.tab)
  else if (ui.isAgain('tab.close', again)) quit(ui)
  else ui.tell(`This is the last tab. ${key === '' ? 'Closing it' : key} again quits.`)
}

// A turn that runs here ends with the program.
function quit(ui: Ui): void {
  const isTurn = ui.tabs.some(({ conversation }) => conversation.isRunning)
  const runs = ui.tabs.flatMap(({ place }) => place.runs).filter((run) => run.process?.pid === process.pid)
  const what = isTurn
    ? 'A turn is running. Once more quits; what it has done so far stays.'
    : 'A background run goes on here. Once more quits, and the shell waits for it.'
  if ((!isTurn && runs.length === 0) || ui.isAgain('app.quit', again)) ui.quit()
  else ui.tell(what, 'warning')
}

function turnTo(ui: Ui, by: number): boolean {
  const { tabs, tab } = ui
  const next = tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length]
  if (next) ui.showTab(next)
  return true
}
