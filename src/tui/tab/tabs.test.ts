import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { nothingNew } from '../../tree/native.ts'
import { openTui } from '../testing/ground.ts'

describe('tabs', () => {
  it('keep what was typed when one is closed: ↑ brings it back', async () => {
    const { press, screen } = await openTui()
    await screen('Esc looks back')
    press('Alt+N')
    await screen(/ 2 New session/)
    press('half a thought', 'Alt+W')
    expect(await screen('↑ brings back what was typed there.')).not.toContain('2 New session')
    press('Up')
    await screen(/^half a thought/m)
  })

  it('say nothing of that where nothing was typed', async () => {
    const { press, screen } = await openTui()
    await screen('Esc looks back')
    press('Alt+N')
    await screen(/ 2 New session/)
    press('Alt+W')
    await screen(/^ 1 Soup *$/m)
    expect(await screen()).not.toContain('brings back')
  })

  it('leave no session behind when a new one is closed in which nothing was said', async () => {
    const { bough, press, screen } = await openTui()
    const titles = async () => (await bough.sessions()).map(({ title }) => title)
    await screen('Esc looks back')
    press('Alt+N')
    await screen(/ 2 New session/)
    press('Alt+W')
    await until('the new session to go', async () => (await titles()).join() === 'Soup')
    press('Alt+N')
    await screen(/ 2 New session/)
    press('Say: leek', 'Enter', 'Alt+W')
    await screen(/^ 1 Soup *$/m)
    await until('what was said', async () => (await titles()).includes('Say: leek'))
  })

  it('are closed once: closing one again does not quit', async () => {
    const { app, bough, directory, screen } = await openTui()
    const tab = await app.openTab(await bough.create({ title: 'Leek', directory }))
    await screen('2 Leek')
    let isOver = false
    void app.over.then(() => {
      isOver = true
    })
    app.closeTab(tab)
    app.closeTab(tab)
    await screen(/^ 1 Soup *$/m)
    expect(isOver).toBe(false)
  })

  it('are one at least: closing the last asks once more, and leaves what was typed for the next time', async () => {
    const { app, press, screen } = await openTui()
    await screen('Esc looks back')
    press('Alt+N')
    await screen(/ 2 New session/)
    let isOver = false
    const over = app.over.then(() => {
      isOver = true
    })
    press('Alt+W')
    await screen(/^ 1 Soup *$/m)
    press('half a thought', 'Alt+W')
    await screen('This is the last tab. Alt+W again quits.')
    expect(isOver).toBe(false)
    press('Alt+W')
    await over
    expect(app.tabs.map(({ composer }) => composer.text)).toEqual(['half a thought'])
  })

  it('are not closed with the program while a turn runs there, unless asked once more', async () => {
    const { app, agent, press, screen } = await openTui()
    await screen('Esc looks back')
    press('sleep 1', 'Enter')
    await screen('Esc interrupts')
    let isOver = false
    void app.over.then(() => {
      isOver = true
    })
    press('Alt+W', 'Alt+W')
    await screen('A turn is running. Once more quits')
    expect(isOver).toBe(false)
    press('Alt+W')
    await app.over
    agent.release(1)
  })

  it('are one for a session, also when it is opened twice at once', async () => {
    const { app, bough, directory, screen } = await openTui()
    await screen('Esc looks back')
    const leek = await bough.create({ title: 'Leek', directory })
    const [one, other] = await Promise.all([app.openTab(leek), app.openTab(leek)])
    expect(one).toBe(other)
    expect(app.tabs.map(({ session }) => session.title)).toEqual(['Soup', 'Leek'])
    await screen('2 Leek')
  })

  it('read nothing of what happens beside while another is shown, and know it when they are', async () => {
    const asked: string[] = []
    const { app, bough, directory, session, turn, screen } = await openTui({
      seen: (real) => ({
        ...real,
        updates: (id) => {
          asked.push(String(id))
          return real.updates(id)
        },
      }),
    })
    await screen('Esc looks back')
    const { id } = await bough.channelOf(session.id)
    await bough.say(id, { kind: 'fork' })
    const { openForkID } = await bough.channel(id)
    if (openForkID) await bough.exit(openForkID, { action: 'report', text: 'Two herons.' })
    await screen('1 update F7')
    const [soup] = app.tabs
    const leek = await app.openTab(await bough.create({ title: 'Leek', directory }))
    await screen(/2 Leek[\s\S]*Esc looks back/)
    asked.length = 0
    await bough.say(id, { kind: 'message', text: 'hello' })
    await turn('hello', leek.session.id)
    const { id: leekID } = await bough.channelOf(leek.session.id)
    await until('the shown one to look around', () => asked.includes(leekID))
    expect(asked).not.toContain(id)
    if (soup) app.showTab(soup)
    await until('the other one to look around', () => asked.includes(id))
    await screen(/^(?![\s\S]*1 update)[\s\S]*hello/)
  })

  it('tell nothing of a session in the one that they have gone to meanwhile', async () => {
    const read = Promise.withResolvers<void>()
    const { app, bough, session, screen } = await openTui({
      seen: (real) => ({
        ...real,
        reopen: async () => {
          await read.promise
          return { ...nothingNew, missing: 'Its history is gone.' }
        },
      }),
    })
    const { conversation } = app.tab
    await screen('Esc looks back')
    const { id } = await bough.channelOf(session.id)
    await bough.say(id, { kind: 'fork', topic: 'herbs' })
    await screen(/^ 1 └ herbs/)
    const isTold = (each: typeof conversation): boolean =>
      each.entries.some((entry) => entry.kind === 'note' && entry.text === 'Its history is gone.')
    read.resolve()
    await until('it to be told', () => isTold(conversation) || isTold(app.tab.conversation))
    expect(isTold(app.tab.conversation)).toBe(false)
  })

  it('show that a fork opens in another one, and that it ends', async () => {
    const { app, bough, directory, session, screen } = await openTui()
    await screen('Esc looks back')
    await app.openTab(await bough.create({ title: 'Leek', directory }))
    await screen('2 Leek')
    const { id } = await bough.channelOf(session.id)
    await bough.say(id, { kind: 'fork', topic: 'herbs' })
    await screen(/^ 1 └ herbs {2}2 Leek/)
    const { openForkID } = await bough.channel(id)
    if (openForkID) await bough.exit(openForkID, { action: 'discard' })
    await screen(/^ 1 Soup {2}2 Leek/)
  })

  it('give the window the title of the session that is shown, also when it is renamed or a fork opens', async () => {
    const { bough, session, press, screen, terminal } = await openTui()
    await screen('Esc looks back')
    expect(terminal.title).toBe('bough: Soup')
    await bough.change(session.id, { title: 'Leek soup' })
    await expect.poll(() => terminal.title).toBe('bough: Leek soup')
    press('/fork herbs', 'Enter')
    await expect.poll(() => terminal.title).toBe('bough: herbs')
    press('Alt+X')
    await expect.poll(() => terminal.title).toBe('bough: Leek soup')
    press('Alt+N')
    await expect.poll(() => terminal.title).toBe('bough: New session')
  })
})
