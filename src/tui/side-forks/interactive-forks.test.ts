import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { openStore } from '../../store/open.ts'
import { across } from '../testing/across.ts'
import { openTui, type TuiGround } from '../testing/ground.ts'

const minute = 60_000

/** The line that the bar of a fork is in; empty where there is none. */
const barOf = (screen: string): string =>
  screen.split('\n').find((line) => line.includes(' └ ') && line.includes('Exit')) ?? ''

async function openFork(ground: TuiGround, topic = 'Say: herons'): Promise<void> {
  await ground.screen('Esc looks back')
  ground.press(`/fork ${topic}`, 'Enter')
  await ground.screen('Exit Alt+X')
}

const channelOf = ({ bough, session }: TuiGround) => bough.channelOf(session.id)

describe('files of a side conversation', () => {
  it('are listed when it ends, and a button puts them back', async () => {
    const ground = await openTui({ files: { 'soup.txt': 'water\n' }, rows: 40 })
    const { press, screen, click, directory } = ground
    await openFork(ground, 'write soup.txt: leek')
    await screen('Instructions done: 1 of 1.')
    press('Alt+X')
    await screen(across('It changed 1 file, which stays: soup.txt.'))
    await click('[Put its files back]')
    await screen(across('1 file put back as it found it. /undo takes it back.'))
    expect(readFileSync(join(directory, 'soup.txt'), 'utf8')).toBe('water\n')
    writeFileSync(join(directory, 'soup.txt'), 'mine\n')
    press('/put-back', 'Enter')
    await screen(across('others have changed 1 file of this fork, too: soup.txt'))
  })
})

describe('/fork [topic]', () => {
  it('shows a bar with the topic, the time to the idle prompt and the three actions', async () => {
    const ground = await openTui()
    await openFork(ground)
    const screen = await ground.screen('asks in 10 min')
    expect(barOf(screen)).toMatchInlineSnapshot(
      `" └ Say: herons · asks in 10 min          Save Alt+S │ Report Alt+R │ Exit Alt+X"`,
    )
  })

  it('colours the bar', async () => {
    const ground = await openTui({ theme: 'dark' })
    await openFork(ground)
    expect(ground.terminal.written).toContain('\u001b[48;5;24;38;5;255m └ Say: herons')
  })

  it('says the topic in the fork, whose transcript begins with what it shares with main', async () => {
    const ground = await openTui({ prompts: ['Say: soup'], rows: 40 })
    await openFork(ground)
    const screen = await ground.screen('You just told me: “Say: herons”')
    expect(screen).toContain('▌ Say: soup')
    expect(screen).toContain('── fork: Say: herons ──')
    const { openForkID, mainID } = await channelOf(ground)
    expect(ground.app.tab.session.id).toBe(openForkID)
    expect(mainID).toBe(ground.session.id)
  })

  it('without a topic opens an open session', async () => {
    const ground = await openTui()
    await openFork(ground, '')
    expect(barOf(await ground.screen('asks in'))).toContain('└ open session · asks in 10 min')
  })

  it('waits its place while a turn runs', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    ground.press('sleep 1', 'Enter')
    await ground.agent.held(1)
    await ground.screen('Esc interrupts')
    ground.press('/fork Say: later', 'Enter')
    await ground.screen('⋯ /fork Say: later')
    ground.agent.release(1)
    await ground.screen('You just told me: “Say: later”')
  })

  it('refuses a second fork, told only here', async () => {
    const ground = await openTui()
    await openFork(ground)
    await ground.screen('asks in')
    ground.press('/fork another', 'Enter')
    await ground.screen('You are already in a fork.')
  })

  it('counts down to the prompt', async () => {
    const ground = await openTui()
    await openFork(ground, '')
    await ground.screen('asks in 10 min')
    ground.clock.now += 9.5 * minute
    ground.app.tick()
    await ground.screen('asks in 1 min')
    ground.clock.now += minute
    ground.app.tick()
    await ground.screen('asks soon')
  })
})

describe('a fork that the agent was asked about', () => {
  it('shows the time until it ends', async () => {
    const ground = await openTui()
    await openFork(ground, '')
    const { openForkID } = await channelOf(ground)
    const store = await openStore(ground.home.data, Date.now)
    onTestFinished(() => store.close())
    if (openForkID) await store.transaction((tx) => tx.sideForks.prompt(openForkID, Date.now()))
    ground.app.tab.refresh()
    await ground.screen('ends in 10 min')
  })
})

describe('the bar of a fork', () => {
  it('fits wherever it is shown: the keys go first, then the time; the actions stay', async () => {
    const bars: string[] = []
    for (const { columns, topic } of [
      { columns: 80, topic: 'Say: 木を植える 木を植える 木を植える 木を植える 木を植える' },
      { columns: 60, topic: 'Say: a topic that is much too long for a narrow terminal' },
      { columns: 40, topic: 'Say: a topic that is much too long for a narrow terminal' },
      { columns: 40, topic: '' },
      { columns: 30, topic: 'Say: herons' },
    ]) {
      const ground = await openTui({ columns })
      await ground.screen('Esc')
      ground.press(`/fork ${topic}`, 'Enter')
      // While a turn runs the time stands still, and is not told.
      const screen = await ground.screen(
        columns > 30 ? / └ .* 10 ?m.* Save.*│ Report.*│ Exit/ : / └ .*│ Exit/,
      )
      bars.push(`${columns}|${screen.split('\n').find((line) => line.includes('│ Exit'))}|`)
    }
    expect(bars.join('\n')).toMatchInlineSnapshot(`
      "80| └ Say: 木を植える 木… · asks in 10 min  Save Alt+S │ Report Alt+R │ Exit Alt+X|
      60| └ Say: a topic tha… · asks in 10 min  Save │ Report │ Exit|
      40| └ Say: a … · 10m  Save │ Report │ Exit|
      40| └ open se… · 10m  Save │ Report │ Exit|
      30| └ Say…  Save │ Report │ Exit|"
    `)
  })

  it.each([
    ['Save Alt+S', 'fork ended: context saved'],
    ['Report Alt+R', 'fork ended: summary reported'],
    ['Exit Alt+X', 'fork ended: discarded'],
  ])('is clicked: %s does what its key does', async (button, ends) => {
    const ground = await openTui({ rows: 40 })
    await openFork(ground)
    await ground.screen('told me: “Say: herons”')
    await ground.screen('asks in')
    await ground.click(button)
    await ground.screen(ends)
  })
})

describe('the end of a fork', () => {
  it('by save: the tab stays on the fork, which is main now, with the exit banner', async () => {
    const ground = await openTui({ prompts: ['Say: soup'], rows: 40 })
    await openFork(ground)
    await ground.screen('told me: “Say: herons”')
    const { openForkID } = await channelOf(ground)
    ground.press('Alt+S')
    const screen = await ground.screen('The fork was saved: it is the main conversation now.')
    expect(screen).toContain('fork ended: context saved')
    expect(barOf(screen)).toBe('')
    expect(ground.app.tab.session.id).toBe(openForkID)
    expect(ground.app.tab.place.channel).toMatchObject({ mainID: openForkID, openForkID: null })
    ground.press('Say: leek', 'Enter')
    await ground.screen(/told me: “Say: leek”[\s\S]*“Say: herons”/)
  })

  it('by report: main is shown again, and is told a summary with its next message', async () => {
    const ground = await openTui({ rows: 40 })
    await openFork(ground)
    await ground.screen('told me: “Say: herons”')
    ground.press('Alt+R')
    const screen = await ground.screen(/fork ended: summary reported[\s\S]*1 update F7/)
    expect(screen).not.toContain('▌ Say: herons')
    expect(ground.app.tab.session.id).toBe(ground.session.id)
    ground.press('Say: soup', 'Enter')
    await ground.screen('told me: “Say: soup”')
    await until('the update to be told', async () => (await ground.bough.updates()).length === 0)
    await until('the count to go', async () => !(await ground.screen()).includes('update F7'))
  })

  it('by report with words: main is told those', async () => {
    const ground = await openTui()
    await openFork(ground, '')
    ground.press('/report There are two herons.', 'Enter')
    await ground.screen('fork ended: summary reported')
    expect((await ground.bough.updates()).map(({ text }) => text)).toEqual(['There are two herons.'])
  })

  it.each([
    ['/save', 'fork ended: context saved'],
    ['/report', 'fork ended: summary reported'],
  ])('by %s, typed without words, is as by its key', async (typed, ends) => {
    const ground = await openTui({ rows: 40 })
    await openFork(ground)
    await ground.screen('told me: “Say: herons”')
    await ground.screen('asks in')
    const { id, openForkID } = await channelOf(ground)
    ground.press(typed, 'Enter')
    await ground.screen(ends)
    const { mainID } = await ground.bough.channel(id)
    expect(mainID).toBe(typed === '/save' ? openForkID : ground.session.id)
    expect(await ground.bough.updates()).toHaveLength(typed === '/save' ? 0 : 1)
  })

  it('by Alt+X: it is discarded', async () => {
    const ground = await openTui()
    await openFork(ground, '')
    ground.press('Alt+X')
    await ground.screen('fork ended: discarded')
    expect(ground.app.tab.session.id).toBe(ground.session.id)
  })

  it('by exit: main is shown again as it was, with the exit banner', async () => {
    const ground = await openTui({ prompts: ['Say: soup'], rows: 40 })
    await openFork(ground)
    await ground.screen('told me: “Say: herons”')
    ground.press('/exit', 'Enter')
    const screen = await ground.screen('fork ended: discarded')
    expect(screen).toContain('nothing of it went to the main conversation')
    expect(screen).not.toContain('told me: “Say: herons”')
    expect(await ground.bough.updates()).toEqual([])
  })

  it('takes the buttons from the first banner', async () => {
    const ground = await openTui({ rows: 40 })
    await openFork(ground, '')
    await ground.screen('[Save context] [Report] [Exit fork]')
    await ground.click('[Exit fork]')
    const screen = await ground.screen('fork ended: discarded')
    expect(screen).toContain('── fork: open session ──')
    expect(screen).not.toContain('[Save context]')
  })

  it('is no answer to /save in a branch: that says what a branch is', async () => {
    const { app, bough, press, screen, session } = await openTui({ prompts: ['Say: soup'], columns: 120 })
    await app.openTab(await bough.fork(session.id, { title: 'Leek' }))
    await screen(/ · branch .*Esc looks back/)
    for (const keys of [['Alt+S'], ['/report', 'Enter'], ['/exit', 'Enter']]) {
      press(...keys)
      const told = await screen('“Leek” is a branch: it goes on by itself and has no ending.')
      expect(told).not.toContain('No fork is open')
      press('x', 'Backspace')
      await until('the words to go', async () => !(await screen()).includes('has no ending'))
    }
  })

  it('where none is open is told', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    for (const keys of [['Alt+S'], ['Alt+R'], ['Alt+X'], ['/exit', 'Enter']]) {
      ground.press(...keys)
      await ground.screen('No fork is open here. /fork opens one.')
      ground.press('x', 'Backspace')
      await until('the words to go', async () => !(await ground.screen()).includes('No fork is open'))
    }
  })
})

describe('a fork that somebody else opens in the channel', () => {
  it('is followed: main, fork, main', async () => {
    const ground = await openTui({ rows: 40 })
    await ground.screen('Esc looks back')
    const { id } = await channelOf(ground)
    await ground.bough.say(id, { kind: 'fork', topic: 'Say: herons' })
    await ground.screen(/└ Say: herons[\s\S]*told me: “Say: herons”/)
    const { openForkID } = await ground.bough.channel(id)
    if (openForkID) await ground.bough.exit(openForkID, { action: 'discard' })
    const screen = await ground.screen('fork ended: discarded')
    expect(barOf(screen)).toBe('')
    expect(ground.app.tab.session.id).toBe(ground.session.id)
  })
})

describe('a session that is deleted elsewhere', () => {
  it('says so, and stays readable', async () => {
    const ground = await openTui({ prompts: ['Say: soup'] })
    await ground.screen('Esc looks back')
    await ground.bough.remove(ground.session.id)
    const screen = await ground.screen('This session was deleted elsewhere')
    expect(screen).toContain('▌ Say: soup')
  })

  it('says so whatever is done there, and keeps the words', async () => {
    for (const typed of ['hello', '/fork hello', '/run hello', '/report hello']) {
      const ground = await openTui({ prompts: ['Say: soup'] })
      await ground.screen('Esc looks back')
      await ground.bough.remove(ground.session.id)
      await ground.screen('This session was deleted elsewhere')
      ground.press(typed, 'Enter')
      await ground.screen('This session was deleted; nothing was sent. Close its tab.')
      expect(ground.app.tab.composer.text).toBe(typed)
    }
  })
})
