import { describe, expect, it } from 'vitest'
import { openTui } from '../testing/ground.ts'
import { madeUpSession, talk, toolSteps } from './testing/made-up-session.ts'

const prompts = ['Say: tomato', 'Say: leek', 'Say: pea']

describe('backtrack', () => {
  it('is entered with Esc on an empty line, the newest message selected', async () => {
    const { press, screen } = await openTui({ prompts, rows: 30 })
    await screen('Esc looks back')
    press('Esc')
    expect(await screen('agent · 6')).toMatchInlineSnapshot(`
      " 1 Soup
       BACKTRACK MODE  choose where to fork

      agent · 2
        I am bough's offline agent: no model, just plain instructions and a memory.

        This is turn 1 on this line. You just told me: “Say: tomato”. You told me
        nothing before.

      you · 3
      ▌ Say: leek

      agent · 4
        This is turn 2 on this line. You just told me: “Say: leek”.
        Before that you told me, oldest first:
        1. “Say: tomato”

      you · 5
      ▌ Say: pea

      ╭─ agent · 6 ───────────────────────────────────────────────────── fork point ─╮
      │   This is turn 3 on this line. You just told me: “Say: pea”.                 │
      │   Before that you told me, oldest first:                                     │
      │   1. “Say: tomato”                                                           │
      │   2. “Say: leek”                                                             │
      ╰──────────────────────────────────────────────────────────────────────────────╯

      ────────────────────────────────────────────────────────────────────────────────
       Esc back · Enter fork here · f fork dialog · u your messages · Esc×3 cancel
       offline · kitchen · 158 tokens                                        Esc back"
    `)
  })

  it('steps one message back with each slow Esc, and leaves on the first', async () => {
    const { press, screen, clock } = await openTui({ prompts, rows: 40 })
    await screen('Esc looks back')
    for (const at of ['agent · 6', 'you · 5', 'agent · 4', 'you · 3', 'agent · 2', 'you · 1']) {
      press('Esc')
      clock.now += 500
      await screen(new RegExp(`╭─ ${at} ─`))
    }
    press('Esc')
    await screen('Esc looks back')
  })

  it('is left from anywhere by three quick Escs, also when they come as one piece', async () => {
    const { press, screen, clock, app } = await openTui({ prompts })
    await screen('Esc looks back')
    for (const escapes of [['Esc', 'Esc', 'Esc'], ['\u001b\u001b', 'Esc'], ['\u001b\u001b\u001b']]) {
      press('Esc')
      await screen('BACKTRACK')
      clock.now += 1000
      press('q')
      await screen('Esc looks back')
      press(...escapes)
      await app.drawn()
      expect(await screen()).not.toContain('BACKTRACK')
      clock.now += 1000
    }
    press('Esc')
    clock.now += 1000
    press('Esc')
    await screen(/╭─ you · 5 ─/)
    clock.now += 1000
    press('Esc', 'Esc', 'Esc')
    await screen('Esc looks back')
  })

  it('is left by three quick Escs on the first message, too, and where there is only one', async () => {
    const { press, screen, clock, app, bough, directory } = await openTui({ prompts, rows: 40 })
    await screen('Esc looks back')
    press('Esc', 'Home')
    await screen(/╭─ you · 1 ─/)
    clock.now += 1000
    press('Esc', 'Esc', 'Esc')
    await app.drawn()
    expect(await screen()).not.toContain('BACKTRACK')
    await app.openTab(await madeUpSession(bough, directory, talk(1)))
    await screen('words 1')
    press('Esc', 'Esc', 'Esc')
    await app.drawn()
    expect(await screen()).not.toContain('BACKTRACK')
    clock.now += 401
    press('Esc')
    await screen(/╭─ you · 1 ─/)
  })

  it('forks nothing while what a key leads to is still being loaded', async () => {
    const { press, screen, bough, directory, app } = await openTui({ rows: 12 })
    await app.openTab(await madeUpSession(bough, directory, talk(500)))
    await screen('words 500')
    press('Esc')
    await screen(/╭─ agent · 500 ─/)
    // A fork that is being made would take the last key.
    press('Home', 'Alt+Shift+F', 'Enter', 'q')
    expect(app.tab.backtrack.on).toBe(false)
    await screen('Esc looks back')
  })

  it('moves the selection with ↑ ↓ PgUp PgDn Home End, and u jumps between your own messages', async () => {
    const { press, screen } = await openTui({ prompts, rows: 40 })
    await screen('Esc looks back')
    press('Esc')
    for (const [key, at] of [
      ['Up', 'you · 5'],
      ['Up', 'agent · 4'],
      ['Down', 'you · 5'],
      ['Home', 'you · 1'],
      ['Up', 'you · 1'],
      ['End', 'agent · 6'],
      ['Down', 'agent · 6'],
      ['PgUp', 'you · 1'],
      ['PgDn', 'agent · 6'],
      ['u', 'you · 5'],
      ['u', 'you · 3'],
      ['u', 'you · 1'],
      ['u', 'you · 5'],
    ] as const) {
      press(key)
      await screen(new RegExp(`╭─ ${at} ─`))
    }
  })

  it('moves the selection with the mouse: a click selects, the wheel steps', async () => {
    const { press, screen, click, terminal } = await openTui({ prompts, rows: 40 })
    await screen('Esc looks back')
    press('Esc')
    await screen(/╭─ agent · 6 ─/)
    await click('▌ Say: leek')
    await screen(/╭─ you · 3 ─/)
    await click('This is turn 2')
    await screen(/╭─ agent · 4 ─/)
    terminal.type('\u001b[<64;10;10M')
    await screen(/╭─ you · 3 ─/)
    terminal.type('\u001b[<65;10;10M')
    await screen(/╭─ agent · 4 ─/)
  })

  it.each(['q', 'Ctrl+C'])('is left with %s, nothing changed', async (key) => {
    const { press, screen, bough, session } = await openTui({ prompts })
    await screen('Esc looks back')
    press('Esc', 'Up', key)
    expect(await screen('Esc looks back')).not.toContain('BACKTRACK')
    expect(await bough.children(session.id)).toEqual([])
    expect(await bough.messages(session.id)).toHaveLength(6)
  })

  it.each([
    ['letters', ['h', 'e', 'l', 'l', 'o'], 'hello'],
    ['letters of a terminal that tells more', ['\u001b[104u', 'i'], 'hi'],
    ['a letter right after Esc, as tmux gives both', ['\u001bh', 'i'], 'hi'],
    ['a paste', ['\u001b[200~quick fox\nfull\u001b[201~'], 'quick fox\nfull'],
  ])('is left by typing, and no letter is lost: %s', async (_, typed, text) => {
    const { press, screen, bough, session, app } = await openTui({ prompts })
    await screen('Esc looks back')
    press('Esc', 'Up')
    await screen('BACKTRACK')
    press(...typed)
    expect(await screen('Esc clears')).not.toContain('BACKTRACK')
    expect(app.tab.composer.text).toBe(text)
    press('Enter')
    await screen('This is turn 4 on this line')
    expect(await bough.children(session.id)).toEqual([])
    expect((await bough.messages(session.id))[6]?.text).toBe(text)
  })

  it('stays while help is looked at, and while a key comes that means nothing', async () => {
    const { press, screen, app } = await openTui({ prompts })
    await screen('Esc looks back')
    press('Esc', '?')
    await screen('Command palette')
    press('Esc', 'Tab', 'Left', 'Backspace')
    await screen('BACKTRACK')
    expect(app.tab.composer.text).toBe('')
  })

  it('is not entered with something in the composer, nor where nothing was said', async () => {
    const { press, screen } = await openTui()
    press('hm')
    await screen('Esc clears')
    press('Esc')
    expect(await screen('Esc looks back')).not.toContain('BACKTRACK')
    press('Esc')
    expect(await screen('There is nothing to go back to yet.')).not.toContain('BACKTRACK')
  })

  it('is not entered while a turn runs: Esc interrupts that', async () => {
    const { press, screen, agent } = await openTui({ prompts })
    await screen('Esc looks back')
    press('sleep 1', 'Enter')
    await agent.held(1)
    await screen('Esc interrupts')
    press('Esc')
    expect(await screen('Esc looks back')).not.toContain('BACKTRACK')
  })

  it('has the keys in its footer, also in 40 columns', async () => {
    const { press, screen } = await openTui({ prompts, columns: 40 })
    await screen('Esc looks back')
    press('Esc')
    expect((await screen('BACKTRACK')).split('\n').slice(-2)).toMatchInlineSnapshot(`
      [
        "Esc back·Enter fork here·Esc×3 cancel",
        " offline · kitchen             Esc back",
      ]
    `)
  })

  it('names the keys that the person has chosen', async () => {
    const { press, screen } = await openTui({ prompts, keys: { 'backtrack.fork': ['ctrl+g'] } })
    await screen('Esc looks back')
    press('Esc')
    await screen('Ctrl+G fork here')
  })

  it('dims what lies after the selected message', async () => {
    const { press, screen, app } = await openTui({ prompts, rows: 40 })
    await screen('Esc looks back')
    press('Esc', 'Up', 'Up', 'Up')
    await screen(/╭─ you · 3 ─/)
    const lines = app.draw({ columns: 80, rows: 40 }).lines
    const isDim = (text: string): boolean | undefined =>
      lines.find((line) => line.includes(text))?.startsWith('\u001b[2m')
    expect(isDim('This is turn 1')).toBe(false)
    expect(isDim('This is turn 2')).toBe(true)
    expect(isDim('▌ Say: pea')).toBe(true)
  })

  it('stops at tool steps once they are opened, and goes on from the nearest stop when they are folded', async () => {
    const { press, screen } = await openTui({ prompts: ['write soup.txt: leek'], rows: 40 })
    await screen('Esc looks back')
    press('Esc', 'Up')
    await screen(/╭─ you · 1 ─/)
    press('End', 'Ctrl+O', 'Up')
    await screen(/╭─ tool · 3 ─/)
    press('o')
    await screen(/╭─ you · 1 ─/)
    press('End', 'Up')
    await screen(/╭─ you · 1 ─/)
  })

  it('loads what is above while it is stepped through', async () => {
    const { press, screen, bough, directory, app } = await openTui({ rows: 12 })
    await app.openTab(await madeUpSession(bough, directory, talk(2500)))
    await screen('words 2500')
    press('Esc')
    await screen(/╭─ agent · 2500 ─/)
    for (let at = 2490; at > 2200; at -= 10) {
      press('PgUp')
      await screen(new RegExp(`╭─ agent · ${at} ─`))
    }
    press('Home')
    await screen(/╭─ you · 1 ─/)
    press('Down')
    await screen(/╭─ agent · 2 ─/)
    press('End')
    await screen(/╭─ agent · 2500 ─/)
  })

  it('finds your own message above a page of tool steps', async () => {
    const { press, screen, bough, directory, app } = await openTui({ rows: 12 })
    await app.openTab(await madeUpSession(bough, directory, [...talk(4), ...talk(1), ...toolSteps(120)]))
    await screen('run ls')
    press('Esc')
    await screen(/╭─ you · 5 ─/)
    press('u')
    await screen(/╭─ you · 3 ─/)
  })

  it('changes nothing when it is left, also not where the person had scrolled to', async () => {
    const long = Array.from({ length: 8 }, (_, i) => `Say: ${i}`)
    const { press, screen, clock } = await openTui({ prompts: long })
    await screen('tokens')
    press('PgUp', 'PgUp')
    const before = await screen('more below')
    press('Esc')
    await screen('BACKTRACK MODE')
    clock.now += 1000
    press('q')
    expect(await screen('Esc looks back')).toBe(before)
  })
})
