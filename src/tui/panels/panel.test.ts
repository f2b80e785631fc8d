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

  it.each([
    ['Ctrl+T', 'Session tree'],
    ['Ctrl+F', 'Search:'],
    ['/compare', 'in common'],
  ])(
    'stays open when the program is suspended, is not quit yet, or help is read (%s)',
    async (key, shows) => {
      const { press, screen, app, bough, session, agent } = await openTui({ prompts: ['Say: leek'] })
      await screen('Esc looks back')
      const fork = await bough.fork(session.id, { title: 'Leek' })
      press('sleep 1', 'Enter')
      await agent.held(1)
      press(...(key === '/compare' ? [`/compare ${fork.id}`, 'Enter'] : [key]))
      await screen(shows)
      const { panel } = app
      press('\u001a', 'Ctrl+Q')
      await screen('A turn is running. Once more quits')
      expect(app.panel).toBe(panel)
      press('F1')
      await screen('╭─ Help')
      press('Esc')
      expect(app.panel).toBe(panel)
      agent.release(1)
    },
  )
})
