import { expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { openTui } from '../testing/ground.ts'
import { widthOf } from './frame.ts'

const sizes = [
  [1, 1],
  [5, 3],
  [12, 4],
  [12, 30],
  [20, 4],
  [33, 9],
  [40, 12],
  [200, 5],
] as const

const wide = 'Leek and 日本語 soup, a very long draft that has to be broken'

/** What opens something, what it shows, and what closes it. */
const states: readonly (readonly [opened: readonly string[], shows: string, closed: readonly string[]])[] = [
  [[wide, '\n', 'more'], 'Leek and', ['Ctrl+C']],
  [['Esc'], 'BACKTRACK', ['q']],
  [['Ctrl+P'], '╭─ Commands', ['Esc']],
  [['?'], '╭─ Help', ['Esc']],
  [['/', 'f'], '→ /fork', ['Ctrl+C', 'Ctrl+C']],
  [['Ctrl+T'], 'Session tree', ['Esc']],
  [['Alt+Shift+F'], '╭─ Fork session', ['Esc']],
  [['Ctrl+F'], 'Search', ['Esc']],
  [['\u001b[17~'], '╭─ Background runs', ['Esc']],
  [['\u001b[18~'], '╭─ Pending updates', ['Esc']],
]

it('Everything can be drawn on a screen of any size, and nothing is wider than that', async () => {
  const { press, screen, terminal, app } = await openTui({ prompts: ['Say: 日本語', 'write a.txt: b'] })
  await screen('Esc looks back')
  for (const [opened, shows, closed] of states) {
    press(...opened)
    await screen(shows)
    for (const [columns, rows] of sizes) {
      terminal.resize(columns, rows)
      const { lines } = app.draw({ columns, rows })
      const tooWide = lines.filter((line) => widthOf(line) > columns)
      expect([opened, columns, rows, lines.length, tooWide]).toEqual([opened, columns, rows, rows, []])
      await terminal.lines()
    }
    terminal.resize(80, 24)
    press(...closed)
    await until(`${shows} to be closed`, async () => !(await screen()).includes(shows))
  }
})
