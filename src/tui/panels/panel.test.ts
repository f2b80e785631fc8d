import { describe, expect, it } from 'vitest'
import { openTui } from '../testing/ground.ts'

describe('a panel', () => {
  it.each([
    ['F1', '╭─ Help'],
    ['Ctrl+T', '◆ Bread'],
  ])('keeps clicks from what lies around it (%s)', async (key, shows) => {
    const { press, screen, click, app, bough, directory } = await openTui()
    await app.openTab(await bough.create({ title: 'Bread', directory }))
    await screen('2 Bread')
    const { tab } = app
    press(key)
    await screen(shows)
    await click('1 Soup')
    expect(app.tab).toBe(tab)
    press('Esc')
    await app.drawn()
    await click('2 Bread')
    expect(app.tab).toBe(tab)
  })
})
