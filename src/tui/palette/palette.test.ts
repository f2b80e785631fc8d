import { describe, expect, it } from 'vitest'
import { actionNames, actionOf } from '../keys/actions.ts'
import { openTui } from '../testing/ground.ts'

describe('the command palette', () => {
  it('has every action with its key, fewer as one types, and does the chosen one', async () => {
    const { press, screen } = await openTui({ rows: 24, keys: { 'tab.new': ['f12'] } })
    await screen('Esc looks back')
    press('Ctrl+P')
    await screen(/╭─ Commands/)
    press('new tab')
    const found = await screen(/New session in a new tab +F12/)
    expect(found).not.toContain('Quit')
    press('Enter')
    expect(await screen(/ 2 New session/)).not.toContain('╭─ Commands')
    press('Ctrl+P', 'zzzz')
    await screen('No command has those letters')
    press('Esc')
    await screen('Esc looks back')
  })

  it('has a way to everything that counts anywhere', async () => {
    const { press, screen } = await openTui({ rows: 24 })
    await screen('Esc looks back')
    for (const name of actionNames) {
      const { scope, isLocal = false, about } = actionOf(name)
      if (scope !== 'anywhere' || isLocal || name === 'palette.open') continue
      press('Ctrl+P', about)
      const words = RegExp.escape(about)
      await screen(new RegExp(`${words}.*${words}`, 's'))
      press('Esc')
    }
  })

  it('fits 40 columns and few rows', async () => {
    const { press, screen, terminal } = await openTui({ columns: 40, rows: 12 })
    await screen('Esc')
    press('Ctrl+P', 'scroll')
    await screen(/╭─ Commands/)
    for (const line of await terminal.lines()) expect(line.length).toBeLessThanOrEqual(40)
  })
})
