import { describe, expect, it } from 'vitest'
import { says } from '../../../test/support/scripted-agent.ts'
import { openTui } from '../testing/ground.ts'
import { longSession } from '../testing/long-session.ts'
import { openScripted } from '../testing/scripted-tab.ts'

describe('search in the transcript', () => {
  it('finds as it is typed, the newest first, and counts', async () => {
    const { press, screen } = await openTui({ prompts: ['A leek', 'A Leek and a pea', 'An onion'] })
    await screen('Esc looks back')
    press('Ctrl+F')
    expect(await screen('Search:')).toContain('Esc ends the search')
    press('l', 'e', 'e', 'k')
    const found = await screen(/1 of \d+ +Enter/)
    const total = Number(/1 of (\d+)/.exec(found)?.[1])
    expect(total).toBeGreaterThan(4)
    press('Enter')
    await screen(`2 of ${total}`)
    press('\u0007')
    await screen(`3 of ${total}`)
    press('Down')
    await screen(`2 of ${total}`)
    press('Down', 'Down')
    await screen(`${total} of ${total}`)
  })

  it('tells big letters from small ones where the query has big ones', async () => {
    const { press, screen } = await openScripted(() => says('leek Leek LEEK'))
    press('G', 'o', 'Enter')
    await screen('LEEK')
    press('Ctrl+F')
    await screen('Search:')
    press('leek')
    await screen('1 of 3')
    press('\u0015', 'Leek')
    await screen('1 of 1')
    press('\u0015', 'lEEk')
    await screen('not found')
  })

  it('paints what it found, and marks where it is', async () => {
    const { press, screen, app, turn } = await openScripted(() => says('Take **leek** and leeks.'), {
      theme: 'dark',
    })
    await turn('What?')
    await screen('leeks')
    press('Ctrl+F')
    await screen('Search:')
    press('leek')
    await screen('1 of 2')
    const lines = app.draw({ columns: 80, rows: 24 }).lines.join('\n')
    const painted = app.theme.paint('found', 'leek')
    expect(lines.split(painted)).toHaveLength(3)
    expect(await screen()).toContain('› Take leek and leeks.')
    press('Esc')
    await screen('Esc looks back')
    expect(app.draw({ columns: 80, rows: 24 }).lines.join('\n')).not.toContain(painted)
  })

  it('finds what is not loaded yet, goes there, and stays there when it is closed', async () => {
    const { press, screen, app, bough, directory } = await openTui()
    const words = Array.from({ length: 500 }, (_, i) => (i === 3 ? 'So: the **needle**' : `straw ${i}`))
    const tab = await app.openTab(await longSession(bough, directory, words))
    await screen('straw 499')
    expect(tab.conversation.hasOlder).toBe(true)
    press('Ctrl+F')
    await screen('Search:')
    press('needle')
    await screen('1 of 1')
    await screen('› So: the needle')
    press('Esc')
    await screen(/^(?![\s\S]*Search:)[\s\S]*the needle[\s\S]*more below/)
  })

  it('opens what it finds in tool calls', async () => {
    const { press, screen, turn } = await openTui({ rows: 30 })
    await turn('run printf "leek\\nonion\\n"')
    await screen('Instructions done')
    press('Ctrl+F')
    await screen('Search:')
    press('onion')
    await screen(/\d of \d+ /)
    press('Enter', 'Enter')
    await screen('│ onion')
  })

  it('is opened by /search, with what to look for', async () => {
    const { press, screen } = await openTui({ prompts: ['A leek'] })
    await screen('Esc looks back')
    press('/search leek', 'Enter')
    await screen(/Search: leek.*1 of \d/)
  })

  it('also finds what comes while it is open, and keeps its place', async () => {
    const { press, screen, turn } = await openScripted(() => says('So: leek'))
    await turn('leek')
    await screen('So: leek')
    press('Ctrl+F')
    await screen('Search:')
    press('leek')
    await screen('1 of 2')
    await turn('more leek')
    await screen('3 of 4')
  })

  it('searches only what came, not all again', async () => {
    const { press, screen, turn, app } = await openScripted(() => says('So: leek'))
    await turn('leek')
    await screen('So: leek')
    press('Ctrl+F')
    await screen('Search:')
    press('leek')
    await screen('1 of 2')
    const at = app.tab.transcript.found?.match
    await turn('more leek')
    await screen('3 of 4')
    // Searched again it would be found again.
    expect(app.tab.transcript.found?.match).toBe(at)
    press('Down', 'Down')
    await screen('1 of 4')
    press('Up')
    await screen('2 of 4')
  })

  it('is over at once when another tab is shown', async () => {
    const { press, screen, app, bough, directory } = await openTui({ prompts: ['A leek'] })
    const first = app.tab
    const other = await app.openTab(await bough.create({ title: 'Stew', directory }))
    app.showTab(first)
    await screen('▌ A leek')
    press('Ctrl+F')
    await screen('Search:')
    press('leek')
    await screen(/1 of \d/)
    app.showTab(other)
    expect(app.panel).toBeNull()
    expect(first.transcript.found).toBeNull()
  })

  it('goes on in the session that its tab goes to', async () => {
    const { press, screen, app, bough } = await openTui({ prompts: ['A leek'] })
    await screen('Esc looks back')
    press('Ctrl+F')
    await screen('Search:')
    press('pea')
    await screen('not found')
    await bough.say(app.tab.place.channel.id, { kind: 'fork', topic: 'Say: pea' })
    await screen(/Search: pea.*\d of \d/)
    expect(app.tab.place.fork?.topic).toBe('Say: pea')
  })

  it('scrolls with its keys, and gives way to other actions', async () => {
    const { press, screen } = await openTui({ prompts: ['words 900', 'Say: pea'] })
    await screen('Esc looks back')
    press('Ctrl+F')
    await screen('Search:')
    press('pea')
    await screen(/1 of/)
    press('PgUp')
    await screen('more below')
    press('Ctrl+P')
    expect(await screen('Session tree')).not.toContain('Search:')
  })

  it('says where nothing is found, and finds nothing for an empty query', async () => {
    const { press, screen } = await openTui({ prompts: ['A leek'] })
    await screen('Esc looks back')
    press('Ctrl+F')
    await screen('Search:')
    press('x')
    press('q', 'z')
    await screen('not found')
    press('\u0015')
    await screen(/^(?![\s\S]*not found)[\s\S]*Search: /)
  })
})
