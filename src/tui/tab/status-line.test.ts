import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ScriptedAgent, says } from '../../../test/support/scripted-agent.ts'
import { until } from '../../../test/support/until.ts'
import { openTui, type TuiGround } from '../testing/ground.ts'

const statusOf = (screen: string): string => screen.split('\n').at(-1) ?? ''

/** A tab with a session of an agent that has a window and costs money. */
async function openCostly(ground: TuiGround, agent: ScriptedAgent): Promise<void> {
  agent.directory = ground.directory
  const session = await ground.bough.create({
    ...{ agent: 'costly', model: 'large-1', directory: ground.directory, title: 'Dear' },
  })
  await ground.turn('hello', session.id)
  await ground.app.openTab(session)
}

const usage = { inputTokens: 12_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUSD: 0.42 }

const costly = () =>
  new ScriptedAgent('costly', async function* () {
    for await (const event of says('Here.'))
      yield event.type === 'message-finished' ? { ...event, usage } : event
  })

describe('the status line', () => {
  it('tells agent and model, workspace and branch, tokens against the window, cost, and what Esc does', async () => {
    const agent = costly()
    const ground = await openTui({ files: { 'soup.md': 'leek\n' }, drivers: [agent.driver], columns: 100 })
    await openCostly(ground, agent)
    const screen = await ground.screen(/kitchen main · .*\/200k/)
    expect(statusOf(screen)).toMatchInlineSnapshot(
      `" costly · large-1 · kitchen main · <1k/200k · $0.42                                  Esc looks back"`,
    )
  })

  it('says whether one is in a fork that comes back, in a branch, or looks at a run', async () => {
    const { app, bough, press, screen, session } = await openTui({ prompts: ['Say: soup'], columns: 100 })
    expect(statusOf(await screen('Esc looks back'))).not.toMatch(/fork|run/)
    press('/fork', 'Enter')
    expect(statusOf(await screen(/ · in a fork .*Esc looks back/))).toContain(' · in a fork ')
    press('Alt+X')
    await screen('fork ended: discarded')
    expect(statusOf(await screen('Esc looks back'))).not.toContain('fork')
    press('/run Say: herons', 'Enter')
    await screen('1 run ended')
    await app.openTab(await bough.fork(session.id, { title: 'Leek' }))
    expect(statusOf(await screen(/ · branch .*Esc looks back/))).toContain(' · branch ')
    const run = (await bough.sideForks()).find(({ kind }) => kind === 'background')
    if (run) await app.openTab(await bough.session(run.sessionID))
    expect(statusOf(await screen(/ · run .*Esc looks back/))).toContain(' · run ')
  })

  it('tells the cost of this branch alone: not what it inherited', async () => {
    const agent = costly()
    const ground = await openTui({ drivers: [agent.driver], columns: 100 })
    await openCostly(ground, agent)
    await ground.screen('$0.42')
    const fork = await ground.bough.fork(ground.app.tab.session.id, { title: 'Leek' })
    expect(fork.cost.inherited.costUSD).toBeCloseTo(0.42)
    await ground.app.openTab(fork)
    expect(statusOf(await ground.screen(/ · branch .*Esc looks back/))).not.toContain('$')
    await ground.turn('hello', fork.id)
    expect(statusOf(await ground.screen(/\$.* · branch .*Esc looks back/))).toContain('$0.42')
  })

  it('tells what Esc does in what is open over the tab, and no key that does nothing there', async () => {
    const ground = await openTui()
    const { press, screen, bough, app } = ground
    await screen('Esc looks back')
    const { id } = app.tab.place.channel
    await bough.say(id, { kind: 'fork' })
    const { openForkID } = await bough.channel(id)
    if (openForkID) await bough.exit(openForkID, { action: 'report', text: 'Two herons.' })
    await screen(/1 update F7.*Esc looks back/)
    press('F1')
    await screen(/╭─ Help/)
    expect(statusOf(await screen('Esc closes'))).toMatch(/1 update {2,}.*Esc closes$/)
    press('Esc', 'Ctrl+P')
    await screen('Esc closes')
    press('Esc')
    await screen(/1 update F7.*Esc looks back/)
  })

  it('leaves out what does not fit, the least important first', async () => {
    const agent = costly()
    const lines: string[] = []
    for (const columns of [80, 60, 40, 30]) {
      const ground = await openTui({ files: { 'soup.md': 'leek\n' }, drivers: [agent.driver], columns })
      await openCostly(ground, agent)
      const { id } = ground.app.tab.place.channel
      await ground.bough.say(id, { kind: 'fork' })
      const { openForkID } = await ground.bough.channel(id)
      if (openForkID) await ground.bough.exit(openForkID, { action: 'report', text: 'Two herons.' })
      await until('all to be known', () => {
        const { status, place, session, conversation } = ground.app.tab
        return (
          status?.git && place.updates.length === 1 && session.cost.own.costUSD > 0 && !conversation.isRunning
        )
      })
      ground.app.redraw()
      const shown = columns < 40 ? 'costly' : '1 update F7'
      lines.push(`${columns}|${statusOf(await ground.screen(shown))}|`)
    }
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "80| costly · kitchen main · <1k/200k · $0.42 · 1 update F7          Esc looks back|
      60| costly · kitchen main · $0.42 · 1 update F7 Esc looks back|
      40| costly · 1 update F7    Esc looks back|
      30| costly        Esc looks back|"
    `)
  })

  it('says what Esc does now', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    ground.press('x')
    await ground.screen('Esc clears')
    ground.press('Esc', 'sleep 1', 'Enter')
    await ground.screen('Esc interrupts')
    ground.press('Esc')
    await ground.screen('Esc looks back')
  })

  it('marks a workspace with changed files, after each turn', async () => {
    const ground = await openTui({ files: { 'soup.md': 'leek\n' } })
    await ground.screen(/kitchen main ·|kitchen main {2}/)
    ground.press('write soup.md: dill', 'Enter')
    await ground.screen('kitchen main*')
  })

  it('marks it also when somebody else changes files: it looks again after 30 seconds', async () => {
    const ground = await openTui({ files: { 'soup.md': 'leek\n' } })
    expect(await ground.screen('kitchen main')).not.toContain('main*')
    writeFileSync(join(ground.directory, 'soup.md'), 'dill\n')
    ground.clock.now += 29_000
    ground.app.tick()
    expect(await ground.screen('kitchen main')).not.toContain('main*')
    ground.clock.now += 2_000
    ground.app.tick()
    await ground.screen('kitchen main*')
  })

  it('marks it as soon as the window comes to the front', async () => {
    const ground = await openTui({ files: { 'soup.md': 'leek\n' } })
    expect(await ground.screen('kitchen main')).not.toContain('main*')
    writeFileSync(join(ground.directory, 'soup.md'), 'dill\n')
    ground.press('\u001b[O', '\u001b[I')
    await ground.screen('kitchen main*')
  })

  it('shows titles and branches as plain text', async () => {
    const ground = await openTui()
    await ground.bough.change(ground.session.id, { model: 'a\u001b[31mb' })
    await ground.screen('offline · ab')
  })
})
