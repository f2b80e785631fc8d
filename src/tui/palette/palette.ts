import { slashCommands, submit } from '../commands/slash-commands.ts'
import { actionNames, actionOf } from '../keys/actions.ts'
import { ListPanel } from '../panels/list-panel.ts'
import type { Tab } from '../tab/tab.ts'
import type { Ui } from '../ui.ts'

/** Every action with its key and every slash command, fewer as the person types. */
export const palette = (ui: Ui): ListPanel =>
  new ListPanel(ui, {
    title: 'Commands',
    empty: 'No command has those letters.',
    items: [
      ...actionNames
        .filter((name) => !actionOf(name).isLocal && name !== 'palette.open')
        .map((name) => ({
          text: actionOf(name).about,
          detail: ui.keys.wordsFor(name),
          does: () => ui.perform(name),
        })),
      ...slashCommands.map(({ name, usage, about }) => ({
        text: about,
        detail: usage,
        does: () => beginCommand(ui.tab, `/${name}`, usage),
      })),
    ],
  })

// A command that takes words waits for them in the composer; what was typed there comes back with ↑.
function beginCommand(tab: Tab, command: string, usage: string): void {
  if (usage === command) submit(tab, command)
  else {
    tab.composer.clear()
    tab.composer.text = `${command} `
  }
}
