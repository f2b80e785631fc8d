import { slashCommands } from '../commands/slash-commands.ts'
import { type ActionName, actionNames, actionOf, type Scope } from '../keys/actions.ts'
import { keysPlace } from '../keys/own-keys.ts'
import { ReadingPanel } from '../panels/reading-panel.ts'
import { filled } from '../screen/frame.ts'
import { wrapped } from '../screen/wrap.ts'
import type { Ui } from '../ui.ts'

const chapters: readonly { readonly scope: Scope; readonly title: string }[] = [
  { scope: 'anywhere', title: 'Anywhere' },
  { scope: 'composer', title: 'While you type' },
  { scope: 'backtrack', title: 'Looking back' },
  { scope: 'tree', title: 'In the session tree' },
  { scope: 'compare', title: 'Comparing' },
  { scope: 'list', title: 'In lists' },
  { scope: 'form', title: 'In dialogs' },
  { scope: 'choices', title: 'Among choices' },
  { scope: 'search', title: 'Searching' },
  { scope: 'reading', title: 'Reading' },
  { scope: 'approval', title: 'When an agent asks' },
  { scope: 'runs', title: 'In the list of background runs' },
]

/** In fewer columns what a key does stands below it, not beside it. */
const narrow = 50
const keysWide = 24

/** All keys and commands, from the tables that they are in. */
export const helpPanel = (ui: Ui): ReadingPanel =>
  new ReadingPanel(ui, { title: 'Help', lines: (columns) => helpLines(ui, columns) })

export function helpLines(
  { keys, theme: { paint } }: Pick<Ui, 'keys' | 'theme'>,
  columns: number,
): readonly string[] {
  const strong = (text: string): string => paint('strong', text)
  const row = (left: string, about: string): readonly string[] => {
    const isNarrow = columns < narrow
    const keyLines = wrapped(left, isNarrow ? columns : keysWide)
    const aboutLines = wrapped(about, columns - (isNarrow ? 2 : keysWide + 1))
    if (isNarrow) return [...keyLines.map(strong), ...aboutLines.map((line) => `  ${line}`)]
    return Array.from({ length: Math.max(keyLines.length, aboutLines.length) }, (_, i) =>
      `${strong(filled(keyLines[i] ?? '', keysWide))} ${aboutLines[i] ?? ''}`.trimEnd(),
    )
  }
  // Actions that are one for a person stand in one row, like those of Alt+1 to Alt+9.
  const keyRow = ([about, names]: readonly [string, readonly ActionName[]]): readonly string[] => {
    const words = names.map((name) => keys.allWordsFor(name))
    return row(words.length > 3 ? `${words[0]} … ${words.at(-1)}` : words.join(', '), about)
  }
  return [
    ...chapters.flatMap(({ scope, title }) => {
      const names = actionNames.filter(
        (name) => actionOf(name).scope === scope && keys.keysOf(name).length > 0,
      )
      const rows = [...Map.groupBy(names, (name) => actionOf(name).about)]
      return names.length === 0 ? [] : [paint('heading', title), ...rows.flatMap(keyRow), '']
    }),
    paint('heading', 'Commands'),
    ...slashCommands.flatMap(({ usage, about }) => row(usage, about)),
    '',
    ...[
      'Enter sends; Shift+Enter, Alt+Enter, Ctrl+J or \\ Enter begin a new line; ↑ brings back.',
      '@ names a file of the workspace, / a command; Tab or Enter takes what is suggested.',
      `Your own keys: ${keysPlace(keys)}; /keys lists the names of actions.`,
      'In tmux, "set -sg escape-time 10" makes Esc quick.',
    ].flatMap((text) => wrapped(text, columns).map((line) => paint('dim', line))),
  ]
}
