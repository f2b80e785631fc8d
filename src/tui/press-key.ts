import { beginningOf, leave, move, settle, toggleSteps } from './backtrack/look-back.ts'
import { forkHere } from './fork-here.ts'
import type { Panel } from './panels/panel.ts'
import { perform } from './perform.ts'
import { isText, keyAfterEscape } from './screen/key-chunks.ts'
import type { Ui } from './ui.ts'

/** What a key does: for the panel that is open, while somebody looks back, or else at the composer. */
export function pressKey(ui: Ui, panel: Panel | undefined, data: string): void {
  if (panel) pressInPanel(ui, panel, data)
  else if (ui.tab.backtrack.on) pressLookingBack(ui, data)
  else pressAtComposer(ui, data)
}

function pressInPanel(ui: Ui, panel: Panel, data: string): void {
  const name = ui.keys.find(panel.scopes, data)
  const always = ui.keys.find(['anywhere'], data)
  if (name) panel.act(name)
  else if (always === 'app.quit' || always === 'app.suspend') perform(ui, always)
  else panel.type?.(data)
}

function pressLookingBack(ui: Ui, data: string): void {
  const { tab } = ui
  const name = ui.keys.find(['backtrack', 'anywhere'], data)
  // tmux gives Esc and a key soon after it as one: here that is two.
  const second = name === null ? keyAfterEscape(data) : null
  if (second !== null) {
    pressLookingBack(ui, '\u001b')
    pressKey(ui, undefined, second)
  }
  if (name === null) {
    if (isText(data)) typeInstead(ui, data)
    return
  }
  if (name === 'backtrack.open') toggleSteps(tab)
  else if (name === 'backtrack.fork' || name === 'backtrack.dialog') {
    const beginning = beginningOf(tab)
    if (beginning) ui.attempt(() => forkHere(ui, tab, beginning, name === 'backtrack.dialog'))
  } else if (name.startsWith('backtrack.')) ui.attempt(() => move(tab, name))
  else {
    perform(ui, name)
    settle(tab)
  }
}

// Somebody who begins to type wants to talk, and no letter of it may be lost. Help leads nowhere else.
function typeInstead(ui: Ui, data: string): void {
  const isHelp = ui.keys.find(['composer'], data) === 'composer.help'
  if (isHelp && perform(ui, 'composer.help')) return
  leave(ui.tab)
  pressAtComposer(ui, data)
}

function pressAtComposer(ui: Ui, data: string): void {
  const { composer } = ui.tab
  const name = composer.takes(data) ? null : ui.keys.find(['composer', 'anywhere'], data)
  if (name === 'composer.interrupt' && composer.isCompleting) composer.stopCompleting()
  else if (name === null || !perform(ui, name)) composer.type(data)
}
