import { actionNames, actionOf } from '../keys/actions.ts'
import { keysPlace } from '../keys/own-keys.ts'
import { ReadingPanel } from '../panels/reading-panel.ts'
import { cut, filled } from '../screen/frame.ts'
import { wrapped } from '../screen/wrap.ts'
import type { Ui } from '../ui.ts'

/** Every action by the name that a file of keys has for it, with its keys. */
export const keysPanel = (ui: Ui): ReadingPanel =>
  new ReadingPanel(ui, { title: 'Names of actions', lines: (columns) => keyLines(ui, columns) })

function keyLines({ keys, theme: { paint } }: Ui, columns: number): readonly string[] {
  const line = (text: string): string => cut(text, columns)
  const { source } = keys
  const complaints = source?.complaints ?? []
  return [
    ...complaints.flatMap((each) => wrapped(`✗ ${each}`, columns).map((text) => paint('bad', text))),
    ...(complaints.length > 0 ? [''] : []),
    ...wrapped(`Your own keys stand in ${keysPlace(keys)}:`, columns),
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
