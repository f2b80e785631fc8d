import { actionNames, actionOf } from '../keys/actions.ts'
import { ListPanel } from '../panels/list-panel.ts'
import type { Ui } from '../ui.ts'

/** Every action with its key, fewer as the person types. */
export const palette = (ui: Ui): ListPanel =>
  new ListPanel(ui, {
    title: 'Commands',
    empty: 'No command has those letters.',
    items: actionNames
      .filter((name) => !actionOf(name).isLocal && name !== 'palette.open')
      .map((name) => ({
        text: actionOf(name).about,
        detail: ui.keys.wordsFor(name),
        does: () => ui.perform(name),
      })),
  })
