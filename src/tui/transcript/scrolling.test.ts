import { describe, expect, it } from 'vitest'
import { says } from '../../../test/support/scripted-agent.ts'
import { until } from '../../../test/support/until.ts'
import { openTui } from '../testing/ground.ts'
import { longSession, slowUpwards } from '../testing/long-session.ts'
import { openScripted } from '../testing/scripted-tab.ts'

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, i) => `line ${i + 1}.`).join('\n\n')

const wheelUp = '\u001b[<64;5;5M'
const wheelDown = '\u001b[<65;5;5M'

describe('scrolling', () => {
  it('keeps its place while text streams in below, and says that there is more', async () => {
    const { screen, press, agent, bough, session } = await openTui()
    await bough.send(session.id, 'words 400\nsleep 1\nwords 400\nsleep 2')
    await agent.held(1)
    await screen('working')
    press('PgUp')
    const before = await screen('more below')
    agent.release(1)
    await agent.held(2)
    press('z')
    await screen(/^z$/m)
    const top = (text: string): readonly string[] => text.split('\n').slice(1, 12)
    expect(top(await screen())).toEqual(top(before))
    press('Ctrl+End')
    expect(await screen('working')).not.toContain('more below')
    agent.release(2)
  })
})

describe('scrolling by hand', () => {
  it('goes by lines with the wheel, by pages with keys, and back to the end', async () => {
    const { turn, screen, terminal, press } = await openScripted(() => says(numbered(60)))
    await turn('Count')
    await screen('line 60.')
    terminal.type(wheelUp)
    await screen('more below')
    expect(await screen()).not.toContain('line 60.')
    terminal.type(wheelDown)
    await screen('line 60.')
    press('PgUp', 'PgUp')
    await screen('line 40.')
    press('Ctrl+Home')
    await screen('▌ Count')
    press('Ctrl+End')
    expect(await screen('line 60.')).not.toContain('more below')
  })

  it('stays where the person goes while the beginning is still being loaded', async () => {
    const loaded = Promise.withResolvers<void>()
    const { app, bough, directory, press, screen } = await openTui({ seen: slowUpwards(loaded.promise) })
    const words = Array.from({ length: 150 }, (_, i) => `straw ${i}`)
    const tab = await app.openTab(await longSession(bough, directory, words))
    await screen('straw 149')
    press('Ctrl+Home', 'Ctrl+End')
    loaded.resolve()
    await until('all to be loaded', () => !tab.conversation.hasOlder)
    await screen('straw 149')
    expect(tab.transcript.isAtEnd).toBe(true)
  })

  it('loads nothing more once the tab is closed', async () => {
    const loaded = Promise.withResolvers<void>()
    const pages: unknown[] = []
    const { app, bough, directory, press, screen } = await openTui({
      seen: slowUpwards(loaded.promise, (before) => pages.push(before)),
    })
    const words = Array.from({ length: 600 }, (_, i) => `straw ${i}`)
    const tab = await app.openTab(await longSession(bough, directory, words))
    await screen('straw 599')
    press('Ctrl+Home', 'Alt+W')
    loaded.resolve()
    await until('the page that was being read', () => pages.length > 0)
    await bough.messages(tab.session.id, {})
    await screen('Esc looks back')
    expect(pages).toHaveLength(1)
  })

  it('draws again only what is on the screen when the terminal is resized, however long the transcript is', async () => {
    const { app, bough, directory, screen, terminal } = await openTui()
    const code = (i: number): string => `\`\`\`ts\nconst soup = ${i}\n\`\`\``
    await app.openTab(
      await longSession(
        bough,
        directory,
        Array.from({ length: 2000 }, (_, i) => code(i)),
      ),
    )
    const drawn: string[] = []
    app.highlight = (text) => {
      drawn.push(text)
      return null
    }
    await screen('const soup = 1999')
    drawn.length = 0
    terminal.resize(60, 24)
    await app.drawn()
    await screen('const soup = 1999')
    expect(drawn).toContain('const soup = 1999')
    expect(new Set(drawn).size).toBeLessThanOrEqual(24)
    expect(drawn.length).toBeLessThanOrEqual(2 * 24)
  })

  it('keeps the message at the top when the terminal is resized', async () => {
    const { turn, screen, terminal, press } = await openScripted(() => says(numbered(60)))
    await turn('Count')
    await screen('line 60.')
    press('PgUp', 'PgUp')
    const top = (await screen('line 40.')).split('\n').find((line) => line.includes('line '))
    terminal.resize(50, 20)
    await screen(/^─{50}$/m)
    expect((await screen()).split('\n').find((line) => line.includes('line '))).toBe(top)
  })

  it('follows the end again when all that is below fits in', async () => {
    const { turn, screen, terminal, press } = await openScripted(() => says(numbered(15)))
    await turn('Count')
    await screen('line 15.')
    press('PgUp')
    await screen('more below')
    terminal.resize(80, 50)
    expect(await screen(/line 15\.[\s\S]*Esc looks back/)).not.toContain('more below')
  })

  it('does not freeze with a message of a hundred thousand lines', async () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `line ${i + 1}.`)
    const { turn, screen, press, app } = await openScripted(() => says(['```ts', ...lines].join('\n')))
    let painted = 0
    app.highlight = (code) => {
      painted += code.split('\n').length
      return null
    }
    await turn('Count')
    await screen('line 100000.')
    press('PgUp')
    await screen('line 99979.')
    press('Ctrl+Home')
    await screen(/line 1\.$/m)
    for (let i = 0; i < 50; i++) app.tab.transcript.scroll(3)
    app.draw({ columns: 80, rows: 24 })
    // Only what was looked at is drawn: a few pieces of 80 lines.
    expect(painted).toBeGreaterThan(150)
    expect(painted).toBeLessThan(1000)
  })

  it('wraps wide characters, tabs and long words to the screen', async () => {
    const { turn, screen } = await openScripted(
      () => says(`${'汤'.repeat(30)} 🍲🍲\n\n\tx\n\n${'y'.repeat(60)}`),
      { columns: 40 },
    )
    await turn('Wide')
    const lines = (await screen('yyy')).split('\n')
    expect(lines).toContain(`  ${'汤'.repeat(19)}`)
    expect(lines).toContain(`  ${'汤'.repeat(11)} 🍲🍲`)
    expect(lines).toContain(`  ${'y'.repeat(38)}`)
    expect(lines).toContain(`  ${'y'.repeat(22)}`)
  })
})
