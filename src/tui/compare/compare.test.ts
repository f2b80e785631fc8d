import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { widthOf } from '../screen/frame.ts'
import { type GroundOptions, openTui, type TuiGround } from '../testing/ground.ts'
import { comparePanel } from './compare.ts'

const files = { 'soup.txt': 'tomato\n' }

/** Soup and a fork of it, each with something said since. */
async function openTwo(options: GroundOptions = {}) {
  const ground = await openTui({ prompts: ['Say: tomato'], ...options })
  const { bough, session, turn } = ground
  const leek = await bough.fork(session.id, { title: 'Leek', files: options.files ? 'worktree' : 'same' })
  await turn('Say: basil')
  await turn('Say: leek', leek.id)
  await turn('Say: cream', leek.id)
  await ground.screen('Esc looks back')
  return { ...ground, leek }
}

const compare = (ground: Pick<TuiGround, 'press' | 'screen'>, id: string): Promise<string> => {
  ground.press(`/compare ${id}`, 'Enter')
  return ground.screen('in common')
}

describe('comparing two sessions', () => {
  it('shows the shared beginning as one line, then both tails side by side', async () => {
    const ground = await openTwo()
    expect(await compare(ground, ground.leek.id)).toMatchInlineSnapshot(`
      " 1 Soup
       Compare “Soup” and “Leek”
       2 messages in common, up to “I am bough's offline agent: no model, just plain …
        Soup · 2 messages                    │ ▸ Leek · 4 messages
      ▌ Say: basil                           │ ▌ Say: leek
                                             │
        This is turn 2 on this line. You     │   This is turn 2 on this line. You
        just told me: “Say: basil”.          │   just told me: “Say: leek”.
        Before that you told me, oldest      │   Before that you told me, oldest
        first:                               │   first:
        1. “Say: tomato”                     │   1. “Say: tomato”
                                             │
                                             │ ▌ Say: cream
                                             │
                                             │   This is turn 3 on this line. You
                                             │   just told me: “Say: cream”.
                                             │   Before that you told me, oldest
                                             │   first:
                                             │   1. “Say: tomato”
                                             │   2. “Say: leek”
                                             │
                                             │
                                             │
       ← → side · Tab files · p make it main here · Enter open · Esc close"
    `)
  })

  it('shows one below the other where there is little room', async () => {
    const ground = await openTwo({ columns: 60, rows: 40 })
    const { press, screen, terminal } = ground
    const shown = await compare(ground, ground.leek.id)
    const order = [
      '2 messages in common',
      'Soup · 2 messages',
      'Say: basil',
      'Leek · 4 messages',
      'Say: cream',
    ]
    expect(order.map((words) => shown.indexOf(words)).every((at, i, all) => at > (all[i - 1] ?? -1))).toBe(
      true,
    )
    terminal.resize(40, 10)
    press('Left')
    await screen('▸ Soup')
    press('Right')
    expect(await screen('▸ Leek')).not.toContain('Soup · 2')
  })

  it('scrolls with keys and the wheel', async () => {
    const ground = await openTwo({ rows: 9 })
    const { press, screen, terminal } = ground
    await compare(ground, ground.leek.id)
    await screen('Say: basil')
    press('End')
    expect(await screen('“Say: leek”')).not.toContain('Say: basil')
    press('Home')
    await screen('Say: basil')
    press('PgDn', 'PgDn', 'Down', 'Up', 'PgUp')
    press('Home', 'Down')
    expect(await screen(/Leek · 4 messages *\n(?!.*Say: basil)/)).toContain('in common')
    terminal.type('\u001b[<64;10;5M')
    await screen('Say: basil')
  })

  it('goes to their file diff with Tab, and back', async () => {
    const ground = await openTwo({ files, theme: 'dark', prompts: ['write pot.txt: old'] })
    const { press, screen, turn, leek, terminal } = ground
    await turn('write soup.txt: leek', leek.id)
    await compare(ground, leek.id)
    press('Tab')
    const shown = await screen('1 file differs')
    expect(shown).toContain('Compare files “Soup” and ▸ “Leek”')
    for (const line of ['diff --git a/soup.txt b/soup.txt', '-tomato', '+leek']) expect(shown).toContain(line)
    const { paint } = ground.app.theme
    expect(terminal.written).toContain(paint('removed', '-tomato'))
    expect(terminal.written).toContain(paint('added', '+leek'))
    press('Tab')
    await screen('Say: basil')
  })

  it('says so where their files are the same, were never captured, or are of two projects', async () => {
    const ground = await openTwo()
    const { press, screen, bough, directory, turn } = ground
    const fresh = await bough.create({ title: 'Fresh', directory })
    press(`/compare ${fresh.id}`, 'Enter')
    await screen('They have no message in common.')
    press('Tab')
    await screen('were never captured')
    press('Esc')
    await screen('Esc looks back')
    await turn('Say: hello', fresh.id)
    press(`/compare ${fresh.id}`, 'Enter')
    await screen('They have no message in common.')
    press('Tab')
    await screen('Their files are the same.')
    press('Esc')
    const other = await bough.create({ title: 'Other', directory: dirname(directory) })
    await turn('Say: hello', other.id)
    await screen('Esc looks back')
    press(`/compare ${other.id}`, 'Enter')
    await screen('They have no message in common.')
    press('Tab')
    await screen('files of two projects')
  })

  it('makes the chosen one main of this tab with p, with its workspace', async () => {
    const ground = await openTwo({ files })
    const { press, screen, app, leek, bough, session } = ground
    const { id } = app.tab.place.channel
    await compare(ground, leek.id)
    press('Left', 'p')
    await screen('“Soup” is main here already.')
    press('Right', 'p')
    const asked = await screen('Make it the main of tab 1?')
    for (const words of ['From  “Soup”', 'To    “Leek”', `Channel ${id.slice(-6)}`])
      expect(asked).toContain(words)
    press('Esc')
    await until('the question to go', async () => !(await screen()).includes('Make it the main'))
    expect(await bough.channel(id)).toMatchObject({ mainID: session.id })
    press('p')
    await screen('Make it the main of tab 1?')
    press('Enter')
    await screen('Main is now “Leek”. It was “Soup”: Ctrl+T, c on that one, p puts it back.')
    await until('the tab to show it', () => app.tab.session.id === leek.id)
    expect(app.tabs).toHaveLength(1)
    expect(await bough.channel(id)).toMatchObject({ mainID: leek.id })
    expect(app.tab.session.directory).toBe(leek.directory)
    expect(leek.directory).not.toBe(session.directory)
    press('Say: thyme', 'Enter')
    await screen('“Say: thyme”')
    await until('it to be said there', async () =>
      (await bough.messages(leek.id)).some(({ text }) => text === 'Say: thyme'),
    )
    expect((await bough.messages(session.id)).some(({ text }) => text === 'Say: thyme')).toBe(false)
  })

  it('tells how to put main back, also in few columns, and that works', async () => {
    const ground = await openTwo({ columns: 48 })
    const { press, screen, app, leek, bough, session } = ground
    await bough.change(leek.id, { title: 'Leek, with cream and chives and a little too much salt' })
    await compare(ground, leek.id)
    press('p', 'Enter')
    await screen(/Main is now “Leek, [^”]*…”[\s\S]*Ctrl\+T, c on\s+that\s+one,\s+p\s+puts\s+it\s+back\./)
    await until('the tab to show it', () => app.tab.session.id === leek.id)
    press('Ctrl+T')
    await screen('2 sessions')
    press('Up', 'c')
    await screen('in common')
    press('p', 'Enter')
    await until('main to be back', () => app.tab.session.id === session.id)
  })

  it('leaves main as it is while a fork is open, and says why', async () => {
    const ground = await openTwo()
    const { press, screen, app, leek, session, bough } = ground
    await bough.say(app.tab.place.channel.id, { kind: 'fork' })
    await until('the fork to be there', () => app.tab.place.channel.openForkID)
    press(`/compare ${leek.id}`, 'Enter')
    await screen('in common')
    press('p', 'Enter')
    await screen('A fork is open here.')
    expect(await bough.channel(app.tab.place.channel.id)).toMatchObject({ mainID: session.id })
  })

  it('opens the one that was chosen, by key or click, in a tab with Enter', async () => {
    const ground = await openTwo()
    const { press, screen, app, leek, click } = ground
    await compare(ground, leek.id)
    await click('Say: basil')
    await screen('▸ Soup')
    await click('Say: cream')
    await screen('▸ Leek')
    press('Enter')
    await screen('Esc looks back')
    expect(app.tab.session.id).toBe(leek.id)
    expect(app.tabs).toHaveLength(2)
  })

  it('begins from /compare with an id, or from the tree, where this session is marked then', async () => {
    const ground = await openTwo()
    const { press, screen, leek, session } = ground
    press('/compare nobody1', 'Enter')
    await screen('no session')
    press(`/compare ${session.id}`, 'Enter')
    await screen('That is this session itself.')
    press('/compare', 'Enter')
    await screen('1 marked')
    press('Down', 'c')
    await screen('Compare “Soup” and “Leek”')
    press('Esc')
    await screen('Session tree')
    press('Esc', 'Ctrl+P', 'compare')
    await screen('Compare this session with another')
    press('Enter')
    await screen('1 marked')
    expect(leek.title).toBe('Leek')
  })

  it('gets the keys that come while it is loaded', async () => {
    const ground = await openTwo()
    const { press, screen, app, leek } = ground
    press(`/compare ${leek.id}`, 'Enter', 'Left', 'abc')
    await screen('▸ Soup')
    press('Esc')
    await screen('Esc looks back')
    expect(app.tab.composer.text).toBe('')
    press('/compare', 'Enter')
    await screen('1 marked')
    press('Down', 'c', 'Left', 'Enter')
    await screen('Esc looks back')
    expect(app.tab.session.title).toBe('Soup')
  })

  it('lives: what is said meanwhile joins it, and a session that is deleted is told of', async () => {
    const ground = await openTwo({ rows: 40 })
    const { screen, turn, leek, bough } = ground
    await compare(ground, leek.id)
    await turn('Say: chives', leek.id)
    await screen('Leek · 6 messages')
    await bough.remove(leek.id)
    await screen(`There is no session ${leek.id}`)
  })

  it('stays within the screen, however small that is', async () => {
    const ground = await openTwo()
    const { press, app, screen } = ground
    await compare(ground, ground.leek.id)
    for (const page of ['Leek · 4 messages', 'Their files are the same.']) {
      await screen(page)
      for (const columns of [8, 17, 40, 79, 80, 200])
        for (const rows of [2, 3, 5, 12, 40]) {
          const { lines } = app.draw({ columns, rows })
          expect(lines).toHaveLength(rows)
          for (const line of lines.slice(1)) expect(widthOf(line)).toBeLessThanOrEqual(columns)
        }
      press('Tab')
    }
  })

  it('lets no escape sequence through', async () => {
    const ground = await openTwo({ rows: 50 })
    const { turn, leek, terminal, screen } = ground
    await turn('Say: \u001b]0;owned\u0007x', leek.id)
    await compare(ground, leek.id)
    await screen('▌ Say: x')
    expect(terminal.written).not.toContain('owned\u0007')
  })

  it('reads them again when a turn has ended, not with each of its steps, and not once it is closed', async () => {
    let reads = 0
    const ground = await openTwo({
      seen: (bough) => ({
        ...bough,
        diff: (...given) => {
          reads++
          return bough.diff(...given)
        },
      }),
    })
    const { app, bough, session, agent, press, screen, turn } = ground
    await compare(ground, ground.leek.id)
    const running = await bough.send(session.id, 'sleep 1')
    await until('it is heard of', () => app.tab.conversation.isRunning)
    agent.release(1)
    await running.ended
    await screen('Soup · 4 messages')
    expect(reads).toBe(2)
    press('Esc')
    await screen('Esc looks back')
    await turn('Say: dill')
    await screen('“Say: dill”')
    expect(reads).toBe(2)
  })

  it('stops reading when it is closed while something has changed', async () => {
    const held = Promise.withResolvers<void>()
    let reads = 0
    const { app, bough, session } = await openTui({
      seen: (each) => ({
        ...each,
        diff: async (...given) => {
          reads++
          await held.promise
          return each.diff(...given)
        },
      }),
    })
    const leek = await bough.fork(session.id, { title: 'Leek', files: 'same' })
    const panel = comparePanel(app, session.id, leek.id)
    app.open(panel)
    panel.hear({ kind: 'reset', seq: 1 })
    app.close(panel)
    held.resolve()
    await until('it has been read', () => panel.draw({ columns: 80, rows: 24 }).lines[1]?.includes('common'))
    await new Promise(setImmediate)
    expect(reads).toBe(1)
  })
})
