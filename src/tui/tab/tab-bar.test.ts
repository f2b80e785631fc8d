import { describe, expect, it } from 'vitest'
import { openTui } from '../testing/ground.ts'

describe('tabs', () => {
  it('are opened, gone through, gone to by number and by mouse, and closed', async () => {
    const { press, screen, click, app, bough } = await openTui()
    await screen('Esc looks back')
    press('Alt+N')
    await screen(/^ 1 Soup {2}2 New session/)
    await bough.change(app.tab.session.id, { title: 'Bread' })
    await screen(/^ 1 Soup {2}2 Bread/)
    press('Alt+N')
    await screen(/ 3 New session/)
    const shown = () => app.tabs.indexOf(app.tab) + 1
    const keys = [
      'Ctrl+PgDn',
      'Ctrl+PgDn',
      'Ctrl+PgUp',
      '\u001b.',
      '\u001b,',
      '\u001b2',
      '\u001b9',
      '\u001b8',
      '\u001b1',
    ]
    const places = keys.map((key) => {
      press(key)
      return shown()
    })
    expect(places).toEqual([1, 2, 1, 2, 1, 2, 3, 3, 1])
    await click('2 Bread')
    expect(shown()).toBe(2)
    press('Alt+W')
    expect(await screen(/^ 1 Soup {2}2 New session/)).not.toContain('Bread')
    expect(shown()).toBe(2)
    expect((await bough.sessions()).map(({ title }) => title)).toContain('Bread')
    press('Alt+W', 'Alt+W', 'Alt+W')
    await app.over
  })

  it('stay readable on a narrow screen, where marks tell of those that are left out', async () => {
    const { press, screen, bough, directory, app } = await openTui({ columns: 40, rows: 10 })
    await screen('Esc looks back')
    for (const title of [
      '日本語のとても長い題名です',
      'Bread and butter and a lot of jam',
      'Tea',
      'x\u001b[31my',
      'Last',
    ])
      await app.openTab(await bough.create({ title, directory }))
    const bars = []
    for (const key of ['\u001b1', '\u001b2', '\u001b3', '\u001b4', '\u001b9']) {
      press(key)
      bars.push((await screen()).split('\n')[0]?.trimEnd())
    }
    expect(bars).toMatchInlineSnapshot(`
      [
        " 1 Soup  2 日本語のとて…               ›",
        " 1 Soup  2 日本語のとて…               ›",
        "‹ 2 日本語のとて…  3 Bread and but…    ›",
        "‹ 3 Bread and but…  4 Tea  5 xy  6 Last",
        "‹ 4 Tea  5 xy  6 Last",
      ]
    `)
  })

  it('tell which ones are forks, and where a turn runs', async () => {
    const { press, screen, agent, app, bough, session } = await openTui({ prompts: ['Say: leek'] })
    await screen('Esc looks back')
    await app.openTab(await bough.fork(session.id, { title: 'Less salt' }))
    await screen(/^ 1 Soup {2}2 └ Less salt/)
    press('sleep 1', 'Enter')
    await screen(/ 2 ● Less salt/)
    press('\u001b1', 'Ctrl+Q')
    await screen('A turn is running. Once more quits')
    agent.release(1)
    await screen(/ 2 └ Less salt/)
    press('Ctrl+Q')
    await app.over
  })
})
