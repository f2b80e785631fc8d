import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import type { Bough } from '../../bough.ts'
import { openTui } from '../testing/ground.ts'

const fails = () => Promise.reject(new Error('The disk is full.'))

describe('what could not be said', () => {
  it.each([
    ['/run Say: herons', { runBackground: fails }],
    ['/report Two herons', { channel: fails }],
    ['/reply how many?', { sideForks: fails }],
    ['/fork herbs', { say: fails }],
    ['Say: soup', { say: fails }],
  ] as const)('comes back into the composer: %s', async (typed, failing: Partial<Bough>) => {
    const wrong: { methods: Partial<Bough> } = { methods: {} }
    const { press, screen, app } = await openTui({
      seen: (bough) =>
        new Proxy(bough, { get: (of, name) => Reflect.get({ ...of, ...wrong.methods }, name) }),
    })
    await screen('Esc looks back')
    wrong.methods = failing
    press(typed, 'Enter')
    await screen('The disk is full.')
    expect(app.tab.composer.text).toBe(typed)
    wrong.methods = {}
  })

  it('comes back where no fork is open that it could end', async () => {
    const { press, screen, app } = await openTui()
    await screen('Esc looks back')
    press('/report Two herons', 'Enter')
    await screen('No fork is open here.')
    expect(app.tab.composer.text).toBe('/report Two herons')
  })

  it('comes back with what it replies to', async () => {
    let isBroken = false
    const { press, screen, app, bough, session } = await openTui({
      rows: 40,
      seen: (each) => ({ ...each, link: (...given) => (isBroken ? fails() : each.link(...given)) }),
    })
    await screen('Esc looks back')
    const { id } = await bough.channelOf(session.id)
    await bough.runBackground(id, 'Look\ntool ping_user {"text":"Found herons."}')
    await screen('┃ Found herons.')
    press('F4')
    await screen('Reply to')
    press('Enter')
    await screen('Esc leaves the reply')
    isBroken = true
    press('how many?', 'Enter')
    await screen('The disk is full.')
    await screen(/↩ .*Found herons\./)
    expect(app.tab.composer.text).toBe('how many?')
    isBroken = false
    press('Enter')
    await screen(/└ [\s\S]*how many\?/)
  })

  it('does not replace what is typed meanwhile', async () => {
    const broken = Promise.withResolvers<never>()
    const { press, screen, app } = await openTui({
      seen: (bough) => ({ ...bough, runBackground: () => broken.promise }),
    })
    await screen('Esc looks back')
    press('/run Say: herons', 'Enter', 'next')
    broken.reject(new Error('The disk is full.'))
    await screen('The disk is full.')
    expect(app.tab.composer.text).toBe('next')
    press('Home', 'Up')
    await screen('/run Say: herons')
  })
})

describe('what waits for its place', () => {
  it('is taken back with ↑ on an empty line, the last first', async () => {
    const { press, screen, app, bough, session, agent } = await openTui()
    await screen('Esc looks back')
    press('sleep 1', 'Enter')
    await screen('● working')
    press('Say: leek', 'Enter', 'Say: pea', 'Enter')
    expect(await screen(/⋯ Say: pea +↑ takes it back/)).toMatch(/⋯ Say: leek *$/m)
    press('Up', 'Up')
    await screen(/^Say: pea/m)
    expect(await screen(/⋯ Say: leek *$/m)).not.toContain('⋯ Say: pea')
    press('\u0015')
    await screen(/⋯ Say: leek +↑ takes it back/)
    press('Up')
    await screen(/^Say: leek/m)
    await until('nothing waits', () => app.tab.talking.waiting.length === 0)
    press(' soup', 'Enter')
    await screen(/⋯ Say: leek soup/)
    agent.release(1)
    await screen('“Say: leek soup”')
    const prompts = (await bough.messages(session.id)).filter(({ role }) => role === 'user')
    expect(prompts.map(({ text }) => text)).toEqual(['sleep 1', 'Say: leek soup'])
  })

  it('leaves ↑ to what was said before where nothing waits', async () => {
    const { press, screen } = await openTui()
    await screen('Esc looks back')
    press('Say: leek', 'Enter')
    await screen('“Say: leek”')
    await screen('Esc looks back')
    press('Up')
    await screen(/^Say: leek\n─/m)
  })
})
