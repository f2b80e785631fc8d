import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import type { Bough } from '../../bough.ts'
import { App } from '../app.ts'
import { KeyMap } from '../keys/key-map.ts'
import { Saved } from '../saved/saved.ts'
import { Screen } from '../screen/screen.ts'
import { createTheme } from '../screen/theme.ts'
import { openTui, type TuiGround } from '../testing/ground.ts'
import { longSession } from '../testing/long-session.ts'
import { VirtualTerminal } from '../testing/virtual-terminal.ts'
import { findTabs, restoreTabs, tabsNow } from './restore-tabs.ts'

/** The program ended and started again, on a terminal of its own. */
async function startAgain({ bough, home, directory, app }: TuiGround) {
  const place = { data: home.data, directory, server: null }
  Saved.open(place).keepTabs(tabsNow(app))
  await app.leave()
  const terminal = new VirtualTerminal(80, 24)
  const again = new App({ bough, theme: createTheme('plain'), keys: new KeyMap() })
  const screen = Screen.open(terminal, again)
  again.appear(screen)
  const saved = Saved.open(place)
  const { isAny, rest } = await restoreTabs(again, await findTabs(bough, saved))
  if (!isAny) await again.openTab(await bough.create({ title: 'Fresh', directory }))
  await rest()
  const shows = async (text: string | RegExp): Promise<string> => {
    let lines = ''
    await until(`the screen to show ${text}`, async () => {
      lines = (await terminal.lines()).join('\n')
      return typeof text === 'string' ? lines.includes(text) : text.test(lines)
    }).catch((error: unknown) => {
      throw new Error(`${error}\n${lines}`)
    })
    return lines
  }
  return {
    app: again,
    shows,
    async end() {
      screen.close()
      await again.leave()
    },
  }
}

describe('a restart', () => {
  it('brings back tabs, what was typed, the fork that was open, and where it was scrolled to', async () => {
    const ground = await openTui({ prompts: Array.from({ length: 52 }, (_, i) => `Say: dish ${i}`) })
    const { press, screen, app, bough } = ground
    await screen('Esc looks back')
    press('Alt+N')
    await screen(/ 2 New session/)
    press('/fork herbs', 'Enter')
    await screen(/└ herbs.*Save/)
    press('Alt+N')
    await screen(/ 3 New session/)
    const gone = app.tab.session.id
    press('Alt+N')
    await screen(/ 4 New session/)
    press('half said', '\u001b1')
    await screen(/^▌? ?Say: dish 51/m)
    press('Ctrl+Home')
    await screen('Say: dish 0')
    press('PgDn')
    const before = await screen('more below')
    await bough.remove(gone)

    const again = await startAgain(ground)
    const after = await again.shows('more below')
    expect(after.split('\n').slice(1, 15)).toEqual(before.split('\n').slice(1, 15))
    expect(again.app.tabs.map(({ session }) => session.title)).toEqual(
      app.tabs.map(({ session }) => session.title).toSpliced(2, 1),
    )
    again.app.showTab(again.app.tabs[1] ?? again.app.tab)
    await again.shows(/└ herbs.*Save/)
    again.app.showTab(again.app.tabs[2] ?? again.app.tab)
    await again.shows('half said')
    await again.end()
  })

  it('brings back the place within a long message', async () => {
    const ground = await openTui()
    const { press, screen, app, bough, directory } = ground
    const words = ['Count', Array.from({ length: 99 }, (_, i) => `line ${i + 1}.`).join('\n\n')]
    await app.openTab(await longSession(bough, directory, words))
    await screen('line 99.')
    press('PgUp', 'PgUp', 'PgUp')
    const before = await screen(/line 7\d\.[\s\S]*more below/)
    const again = await startAgain(ground)
    const after = await again.shows('more below')
    expect(after.split('\n').slice(1, 15)).toEqual(before.split('\n').slice(1, 15))
    await again.end()
  })

  it('goes to the end where what was on top is not there any more', async () => {
    const ground = await openTui({ prompts: ['Say: leek'], rows: 12 })
    const { screen, app } = ground
    await screen('Esc looks back')
    app.tab.transcript.view = { kind: 'at', key: 'note-7', line: 2 }
    const again = await startAgain(ground)
    expect(await again.shows('Say: leek')).not.toContain('more below')
    expect(again.app.tab.transcript.view).toEqual({ kind: 'end' })
    await again.end()
  })

  it('tells of a tab that cannot be opened, opens the others, and keeps it for the next time', async () => {
    const ground = await openTui()
    const { press, screen, app, bough, home, directory } = ground
    await screen('Esc looks back')
    for (const number of [2, 3]) {
      press('Alt+N')
      await screen(` ${number} New session`)
    }
    press('half said')
    await screen('half said')
    const [first, second, third] = app.tabs.map(({ session }) => session.id)
    for (const [broken, left] of [
      [second, [first, third]],
      [third, [first, second]],
    ] as const) {
      const damaged: Bough = {
        ...bough,
        messages: (id, page) =>
          id === broken ? Promise.reject(new Error('Its file is damaged.')) : bough.messages(id, page),
      }
      const again = await startAgain({ ...ground, bough: damaged })
      await again.shows('A tab of the last time could not be opened: Its file is damaged.')
      expect(again.app.tabs.map(({ session }) => session.id)).toEqual(left)
      const saved = Saved.open({ data: home.data, directory, server: null })
      saved.keepTabs(tabsNow(again.app))
      const kept = saved.readTabs()?.tabs ?? []
      expect(kept.map(({ sessionID }) => sessionID).toSorted()).toEqual([first, second, third].toSorted())
      expect(kept.map(({ draft }) => draft).filter((draft) => draft !== undefined)).toEqual(['half said'])
      await again.end()
    }
  })

  it('tells of a tab whose session cannot be read, brings the others back, and keeps it for the next time', async () => {
    const ground = await openTui()
    const { press, screen, app, bough, home, directory, session } = ground
    await screen('Esc looks back')
    press('Alt+N')
    await screen(' 2 New session')
    const second = app.tab.session.id
    const damaged: Bough = {
      ...bough,
      session: (id) =>
        id === session.id ? Promise.reject(new Error('Its row is damaged.')) : bough.session(id),
    }
    const again = await startAgain({ ...ground, bough: damaged })
    await again.shows('A tab of the last time could not be opened: Its row is damaged.')
    expect(again.app.tabs.map((tab) => tab.session.id)).toEqual([second])
    const saved = Saved.open({ data: home.data, directory, server: null })
    saved.keepTabs(tabsNow(again.app))
    expect(saved.readTabs()?.tabs.map(({ sessionID }) => sessionID)).toEqual([second, session.id])
    await again.end()
  })

  it('tells what is wrong where no tab can be opened: a new one can', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    const messages: Bough['messages'] = (id, page) =>
      id === ground.session.id
        ? Promise.reject(new Error('Its file is damaged.'))
        : ground.bough.messages(id, page)
    const again = await startAgain({ ...ground, bough: { ...ground.bough, messages } })
    expect(await again.shows('could not be opened: Its file is damaged.')).toMatch(/^ 1 Fresh/)
    await again.end()
  })

  it('puts a draft into a tab that is open already, where nothing is typed there', async () => {
    const { app, session, screen } = await openTui()
    await screen('Esc looks back')
    await app.addTab(session, { draft: 'half said' })
    app.redraw()
    await screen('half said')
    await app.addTab(session, { draft: 'something else' })
    expect(app.tab.composer.text).toBe('half said')
  })
})
