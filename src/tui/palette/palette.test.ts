import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
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

  it('finds slash commands, and lets the person type what one needs', async () => {
    const { app, bough, press, screen, session } = await openTui({ rows: 24 })
    await screen('Esc looks back')
    press('half a thought', 'Ctrl+P', '/title')
    await screen(/> \/title +│\s+│ +Rename the session +\/title <text>/)
    press('Enter')
    await screen(/^\/title/m)
    press('Leek', 'Enter')
    await until('the new title', async () => (await bough.session(session.id)).title === 'Leek')
    press('Up', 'Up')
    await until('the thought', async () => app.tab.composer.text === 'half a thought')
    press('Ctrl+P', '/model', 'Enter')
    await screen(/^\/model/m)
    press('Ctrl+P', '/help', 'Enter')
    await screen(/╭─ Help/)
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
