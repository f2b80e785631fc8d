import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { slashCommands } from '../commands/slash-commands.ts'
import { actionNames, actionOf } from '../keys/actions.ts'
import { KeyMap } from '../keys/key-map.ts'
import { createTheme } from '../screen/theme.ts'
import { openTui } from '../testing/ground.ts'
import { helpLines } from './help.ts'

describe('help', () => {
  it('opens with ? on an empty line and with F1 anywhere, and closes with Esc', async () => {
    const { press, screen } = await openTui()
    await screen('Esc looks back')
    press('?')
    await screen(/╭─ Help/)
    press('Esc')
    expect(await screen('Esc looks back')).not.toContain('╭─ Help')
    press('what', '?')
    expect(await screen(/^what\?/m)).not.toContain('╭─ Help')
    press('F1')
    await screen(/╭─ Help/)
    press('PgDn', 'PgDn', 'PgDn', 'PgDn', 'PgDn', 'PgDn', 'PgDn', 'PgDn', 'PgDn')
    await screen('escape-time 10')
  })

  it('goes to its end and back to its beginning, with the keys of a pager too', async () => {
    const { press, screen } = await openTui()
    await screen('Esc looks back')
    press('F1')
    await screen(/╭─ Help/)
    for (const [last, first] of [
      ['End', 'Home'],
      ['G', 'g'],
    ] as const) {
      press(last)
      await screen('escape-time 10')
      // Not further: one line up is seen at once.
      press('Up')
      await screen(/^(?!.*escape-time 10)/s)
      press(first)
      await screen(/╭─ Help ─+╮\n *│ Anywhere/)
    }
  })

  it('is made from the table, with the keys that the person has chosen', () => {
    const theme = createTheme('plain')
    const keys = new KeyMap({ 'palette.open': ['ctrl+g'] })
    const text = stripVTControlCharacters(helpLines({ keys, theme }, 200).join('\n'))
    for (const name of actionNames)
      if (keys.keysOf(name).length > 0) expect(text).toContain(actionOf(name).about)
    for (const { usage } of slashCommands) expect(text).toContain(usage)
    expect(text).toMatch(/^Ctrl\+G +Command palette/m)
    expect(text).toMatch(/^Alt\+1 … Alt\+9 +Go to a tab by its number/m)
  })

  it.each([36, 56, 76])('says all of it in %d columns', (columns) => {
    const lines = helpLines({ keys: new KeyMap(), theme: createTheme('plain') }, columns)
    const plain = lines.map((line) => stripVTControlCharacters(line))
    for (const line of plain) expect(line.length).toBeLessThanOrEqual(columns)
    const words = new Set(plain.join(' ').split(/\s+/))
    const said = [
      ...actionNames
        .filter((name) => new KeyMap().keysOf(name).length > 0)
        .map((name) => actionOf(name).about),
      ...slashCommands.map(({ usage, about }) => `${usage} ${about}`),
    ]
    for (const word of said.join(' ').split(/\s+/)) expect(words).toContain(word)
  })

  it('fits 40 columns', async () => {
    const { press, screen, terminal } = await openTui({ columns: 40, rows: 16 })
    await screen('Esc')
    press('F1')
    await screen(/╭─ Help/)
    expect((await terminal.lines()).slice(0, 5).join('\n')).toMatchInlineSnapshot(`
      " 1 Soup
      ╭─ Help ───────────────────────────────╮
      │ Anywhere                             │
      │ Ctrl+P                               │
      │   Command palette                    │"
    `)
  })

  it('names all actions for a file of keys', async () => {
    const { press, screen } = await openTui()
    await screen('Esc looks back')
    press('/keys', 'Enter')
    expect(await screen('Names of actions')).toMatch(/palette\.open +Ctrl\+P +Command palette/)
  })
})
