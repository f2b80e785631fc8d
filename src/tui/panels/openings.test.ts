import { describe, expect, it } from 'vitest'
import { openTui } from '../testing/ground.ts'

describe('a panel that is being loaded', () => {
  it('gets the keys that come meanwhile, and opens once', async () => {
    const { press, screen, app } = await openTui({ rows: 12 })
    await screen('Esc looks back')
    press('F7', 'F7', 'abc')
    await screen('> abc')
    expect(app.tab.composer.text).toBe('')
    press('Esc')
    await screen('Esc looks back')
    await app.drawn()
    expect(await screen()).not.toContain('Pending updates')
  })

  it('gives the keys to what comes after it, when one of them closes it', async () => {
    const { press, screen, app } = await openTui()
    await screen('Esc looks back')
    press('F7', 'Esc', '/keys', 'Enter', 'Esc', 'salt')
    await screen(/^salt/m)
    expect(app.tab.composer.text).toBe('salt')
  })

  it('leaves the keys to others when it cannot be loaded', async () => {
    const { press, screen, app } = await openTui()
    await screen('Esc looks back')
    app.openSoon('tree.open', async () => {
      throw new Error('It is not there.')
    })
    press('salt')
    await screen(/^salt/m)
  })

  it('keeps nobody from quitting', async () => {
    const { press, screen, app } = await openTui()
    await screen('Esc looks back')
    app.openSoon('tree.open', () => new Promise(() => {}))
    press('Ctrl+Q')
    await app.over
  })
})
