import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { openTui, type TuiGround } from '../testing/ground.ts'

const channelOf = ({ bough, session }: TuiGround) => bough.channelOf(session.id)

const runsOf = ({ bough }: TuiGround) => bough.sideForks()

/** Starts a run as the person does. */
async function start(ground: TuiGround, prompt: string): Promise<void> {
  ground.press(`/run ${prompt}`, 'Enter')
  await ground.screen('That runs in the background. F6 shows how it goes.')
}

describe('background runs', () => {
  it('have a line in the status while some go on: how many, and what the first does', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    await start(ground, 'sleep 1')
    await ground.screen(/⟳ 1 run: sleep 1 +F6/)
    await start(ground, 'sleep 2')
    await ground.screen(/⟳ 2 runs: sleep 1 +F6/)
    ground.agent.release(1)
    await ground.screen(/⟳ 1 run, 1 ended: sleep 2 +F6/)
    ground.agent.release(2)
    await until('the line to go', async () => !(await ground.screen()).includes('⟳'))
  })

  it('that ended stay in the status, with how, until the person has seen them', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    await start(ground, 'Say: herons')
    await ground.screen(/○ 1 run ended, silent: Say: herons +F6/)
    await start(ground, 'Say: otters')
    await ground.screen(/○ 2 runs ended: Say: otters +F6/)
    ground.press('F6')
    await ground.screen(/Say: otters +silent · just now[\s\S]*Say: herons +silent · just now/)
    ground.press('Esc')
    await until('the line to go', async () => !(await ground.screen('Esc looks back')).includes('○'))
  })

  it('that ask something say that they wait for the person, in the status, in the list and where one looks', async () => {
    const ground = await openTui({ config: { permissions: {} } })
    await ground.screen('Esc looks back')
    ground.press('/run run touch x', 'Enter')
    await ground.screen('⟳ 1 run waits for you: run touch x')
    ground.press('F6')
    await ground.screen(/\? run touch x +waits for you · just now/)
    ground.press('Ctrl+O')
    await ground.screen(/ run: run touch.* · waits for you/)
    ground.clock.now += 1000
    await ground.screen('An agent asks: run touch x')
    ground.press('F8', 'd', 'Enter')
    await ground.screen(/ run: run touch x · silent/)
  })

  it('do not wait for the turn that runs, and are not shown in the transcript', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    ground.press('sleep 1', 'Enter')
    await ground.agent.held(1)
    await start(ground, 'Say: herons')
    await until('the run', async () => (await runsOf(ground))[0]?.outcome === 'finished')
    expect(await ground.screen('Esc interrupts')).not.toContain('told me: “Say: herons”')
    ground.agent.release(1)
  })

  it('open as a list: state, prompt, age, outcome', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    await start(ground, 'Say: herons')
    await start(ground, 'fail out of luck')
    await start(ground, 'tool report_updates {"message":"two herons"}')
    await until('the runs', async () => (await runsOf(ground)).every(({ state }) => state === 'ended'))
    await start(ground, 'sleep 1')
    await ground.screen('⟳ 1 run')
    ground.press('/runs', 'Enter')
    const screen = await ground.screen('running · just now')
    expect(screen.split('\n').slice(7, 17).join('\n')).toMatchInlineSnapshot(`
      "
        ╭─ Background runs ────────────────────────────────────────────────────────╮
        │ >                                                                        │
        │  ● sleep 1                                           running · just now  │
        │    tool report_updates {"message":"two herons"}     reported · just now  │
        │    fail out of luck                                   failed · just now  │
        │    Say: herons                                        silent · just now  │
        ╰─ Enter replies · Ctrl+O looks at it · Ctrl+X stops it · Esc closes ──────╯

      "
    `)
    ground.agent.release(1)
    await ground.screen('silent · just now')
  })

  it('that were saved are main already', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    await start(ground, 'tool save_context')
    await ground.screen('fork ended: context saved')
    await until('the tab to know', () => ground.app.tab.place.allRuns[0]?.outcome === 'saved')
    ground.press('F6')
    await ground.screen('saved · just now')
    ground.press('Enter')
    await ground.screen('That run was saved: it is main here already.')
  })

  it('that were deleted meanwhile cannot be gone on with', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    await start(ground, 'Say: herons')
    await until('the run', async () => (await runsOf(ground))[0]?.outcome === 'finished')
    const [run] = await runsOf(ground)
    if (run) await ground.bough.remove(run.sessionID)
    ground.press('F6')
    await ground.screen('There is none. /run <text> starts one.')
  })

  it('are told when there is none', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    ground.press('F6')
    await ground.screen('There is none. /run <text> starts one.')
  })
})

describe('Enter on a run', () => {
  it('goes on with it as an interactive fork, also with one that stayed silent', async () => {
    const ground = await openTui({ rows: 40 })
    await ground.screen('Esc looks back')
    await start(ground, 'Say: herons')
    await until('the run', async () => (await runsOf(ground))[0]?.outcome === 'finished')
    await until('the tab to know', () => ground.app.tab.place.allRuns[0]?.outcome === 'finished')
    ground.press('F6')
    await ground.screen('Background runs')
    ground.press('Enter')
    await ground.screen(/↩ Say: herons: .*Esc leaves it/)
    ground.press('Say: how many?', 'Enter')
    await ground.screen(/told me: “Say: how many\?”[\s\S]*“Say: herons”/)
    const { openForkID } = await channelOf(ground)
    const forks = await runsOf(ground)
    expect(forks.find(({ sessionID }) => sessionID === openForkID)).toMatchObject({
      ...{ kind: 'interactive', origin: 'reply' },
    })
    const run = forks.find(({ kind }) => kind === 'background')
    expect(openForkID && (await ground.bough.session(openForkID)).parentID).toBe(run?.sessionID)
    await ground.screen('Exit Alt+X')
  })
})

describe('looking at a run', () => {
  it('moves no main, and makes no channel: also when it is over, and looked at again', async () => {
    const ground = await openTui({ rows: 40 })
    await ground.screen('Esc looks back')
    await start(ground, 'Say: herons')
    await ground.screen('1 run ended')
    const before = await ground.bough.channels()
    ground.press('F6')
    await ground.screen('silent · just now')
    ground.press('Ctrl+O')
    await ground.screen(/ run: Say: herons · silent .*type to go on with it/)
    expect(await ground.bough.channels()).toEqual(before)
    ground.press('Alt+W')
    await until('the tab to close', () => ground.app.tabs.length === 1)
    const [run] = await runsOf(ground)
    if (run) await ground.app.openTab(await ground.bough.session(run.sessionID))
    expect(await ground.bough.channels()).toEqual(before)
    ground.press('Say: and now?', 'Enter')
    await ground.screen('told me: “Say: and now?”')
    const { openForkID, mainID } = await channelOf(ground)
    expect(mainID).toBe(ground.session.id)
    expect(openForkID && (await ground.bough.session(openForkID)).parentID).toBe(run?.sessionID)
  })

  it('that was saved and is main shows main', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    await start(ground, 'tool save_context')
    await ground.screen('fork ended: context saved')
    const [run] = await runsOf(ground)
    await until('the tab to know', () => ground.app.tab.session.id === run?.sessionID)
    if (run) await ground.app.openTab(await ground.bough.session(run.sessionID))
    expect(ground.app.tabs).toHaveLength(1)
    expect(ground.app.tab.place.watched).toBeNull()
  })
})

describe('a run that goes on', () => {
  it('can be looked at in a tab, where what is typed goes on with it', async () => {
    const ground = await openTui({ rows: 40 })
    await ground.screen('Esc looks back')
    await start(ground, 'sleep 1')
    await ground.agent.held(1)
    await ground.screen('⟳ 1 run')
    ground.press('F6')
    await ground.screen('running · just now')
    ground.press('\u000f')
    await ground.screen(/ run: sleep 1 · running · just now · type to go on with it/)
    expect(await ground.screen('▌ sleep 1')).toMatch(/ 1 .*Soup.* 2 /)
    ground.agent.release(1)
    await ground.screen(/ run: sleep 1 · silent/)
    ground.press('Say: and now?', 'Enter')
    await ground.screen('told me: “Say: and now?”')
    expect(ground.app.tabs.indexOf(ground.app.tab)).toBe(0)
    const { openForkID } = await channelOf(ground)
    expect(ground.app.tab.session.id).toBe(openForkID)
  })

  it('can be stopped from the list', async () => {
    const ground = await openTui({ rows: 40 })
    await ground.screen('Esc looks back')
    await start(ground, 'sleep 1')
    await ground.agent.held(1)
    ground.press('F6')
    await ground.screen('running · just now')
    ground.press('Ctrl+X')
    await ground.screen('stopped · just now')
    expect((await runsOf(ground))[0]?.outcome).toBe('discarded')
    ground.press('Ctrl+X')
    await ground.screen('That run is over.')
  })

  it('stays the selected one when another ends, so that no other is stopped', async () => {
    const ground = await openTui({ rows: 40 })
    await ground.screen('Esc looks back')
    for (const each of [1, 2, 3]) {
      await start(ground, `sleep ${each}`)
      await ground.agent.held(each)
    }
    await ground.screen('⟳ 3 runs')
    ground.press('F6')
    await ground.screen('running · just now')
    const [first, second] = ground.app.tab.place.allRuns
    ground.press('Down')
    ground.agent.release(Number(first?.prompt?.slice(-1)))
    await until('the tab to know', () => ground.app.tab.place.runs.length === 2)
    ground.press('Ctrl+X')
    await ground.screen('stopped · just now')
    const stopped = (await runsOf(ground)).filter(({ outcome }) => outcome === 'discarded')
    expect(stopped.map(({ sessionID }) => sessionID)).toEqual([second?.sessionID])
    ground.agent.release(1)
    ground.agent.release(2)
    ground.agent.release(3)
  })

  it('can be stopped where it is looked at', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    await start(ground, 'sleep 1')
    await ground.agent.held(1)
    const [run] = await runsOf(ground)
    if (run) await ground.app.openTab(await ground.bough.session(run.sessionID))
    await ground.click('Stop Alt+X')
    await ground.screen(/ run: sleep 1 · stopped/)
  })
})

describe('quitting', () => {
  it('asks once more while a run goes on here, which would end with the program', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    await start(ground, 'sleep 1')
    await ground.agent.held(1)
    await ground.screen('⟳ 1 run')
    ground.press('Ctrl+Q')
    await ground.screen('A background run goes on here. Once more quits')
    ground.press('Ctrl+Q')
    await ground.app.over
  })

  it('asks once more also after the second Ctrl+C', async () => {
    const ground = await openTui()
    let isOver = false
    void ground.app.over.then(() => {
      isOver = true
    })
    await ground.screen('Esc looks back')
    await start(ground, 'sleep 1')
    await ground.agent.held(1)
    await ground.screen('⟳ 1 run')
    ground.press('Ctrl+C', 'Ctrl+C')
    await ground.screen('A background run goes on here. Once more quits')
    expect(isOver).toBe(false)
    ground.press('Ctrl+C')
    await ground.app.over
  })
})
