import { actionNames, actionOf } from '../keys/actions.ts'
import { ReadingPanel } from '../panels/reading-panel.ts'
import { cut, filled } from '../screen/frame.ts'
import type { Ui } from '../ui.ts'

/** Every action by the name that a file of keys has for it, with its keys. */
export const keysPanel = (ui: Ui): ReadingPanel =>
  new ReadingPanel(ui, { title: 'Names of actions', lines: (columns) => keyLines(ui, columns) })

function keyLines({ keys, theme: { paint } }: Ui, columns: number): readonly string[] {
  const line = (text: string): string => cut(text, columns)
  return [
    line('Your own keys stand in keys.json, beside config.json:'),
    line('{"palette.open": ["ctrl+g", "f2"], "tab.new": "ctrl+n"}'),
    '',
    ...actionNames.flatMap((name) => {
      const row = `${filled(name, 24)} ${filled(keys.allWordsFor(name), 18)}`
      return columns < 60
        ? [line(row)]
        : [line(`${row} ${paint('dim', cut(actionOf(name).about, columns - 44))}`)]
    }),
  ]
}
