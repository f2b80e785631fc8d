import { describe, expect, it, onTestFinished } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { post } from '../../forks/side/post.ts'
import { openStore } from '../../store/open.ts'
import { createIds } from '../../tree/ids.ts'
import type { Json } from '../../tree/message.ts'
import { openTui, type TuiGround } from '../testing/ground.ts'

const tool = (name: string, args: Json): string => `tool ${name} ${JSON.stringify(args)}`

const embed = tool('send_embed', {
  title: 'Herons in the reeds',
  body: 'There are **two** of them.',
  buttons: [
    { label: 'Count again', prompt: 'Say: counted' },
    { label: 'Leave them', prompt: 'Say: left' },
  ],
})

const ping = tool('ping_user', { text: 'Two herons are here.' })

async function channelOf({ bough, session }: TuiGround) {
  return bough.channelOf(session.id)
}

/** A background run that does that, and is over. */
async function run(ground: TuiGround, prompt: string): Promise<void> {
  await ground.screen('Esc looks back')
  const { id } = await channelOf(ground)
  const { sessionID } = await ground.bough.runBackground(id, prompt)
  await until('the end of the run', async () => (await ground.bough.sideFork(sessionID))?.state === 'ended')
}

const times = (text: string, part: string): number => text.split(part).length - 1

describe('what runs send', () => {
  it('is drawn as a card: who, what, and its buttons with their numbers', async () => {
    const ground = await openTui()
    await run(ground, `Look for herons\n${embed}`)
    const screen = await ground.screen('[1 Count again]')
    expect(screen.split('\n').slice(1, 8).join('\n')).toMatchInlineSnapshot(`
      "  ┃ ◆ Look for herons  /reply goes on with it
        ┃ Herons in the reeds
        ┃ There are two of them.
        ┃ [1 Count again] [2 Leave them]


      "
    `)
  })

  it('is left to the chat that its channel belongs to, and drawn here too', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    const place = { frontEnd: 'discord', key: '7' }
    const { id, mainID } = await ground.bough.openChannel(place, { directory: ground.directory })
    await ground.app.openTab(await ground.bough.session(mainID))
    await ground.bough.runBackground(id, `Look for herons\n${embed}`)
    await ground.screen('[1 Count again]')
    expect(await ground.bough.sent(id)).toMatchObject([{ what: { kind: 'embed' }, state: 'waiting' }])
  })

  it('fits 40 columns', async () => {
    const ground = await openTui({ columns: 40 })
    await run(ground, `Look for herons\n${embed}`)
    const screen = await ground.screen('[2 Leave them]')
    expect(screen.split('\n').slice(1, 9).join('\n')).toMatchInlineSnapshot(`
      "  ┃ ◆ Look for herons
        ┃ Herons in the reeds
        ┃ There are two of them.
        ┃ [1 Count again] [2 Leave them]



      "
    `)
  })

  it('goes on with the run when a button is clicked with the mouse, which is used up then', async () => {
    const ground = await openTui({ rows: 40 })
    await run(ground, `Look for herons\n${embed}`)
    await ground.click('[1 Count again]')
    await ground.screen(/└ [\s\S]*1 Count again \(used\)/)
    await ground.screen('[button] Say: counted')
    const { openForkID } = await channelOf(ground)
    expect(openForkID && (await ground.bough.sideFork(openForkID))).toMatchObject({ origin: 'button' })
    ground.press('/exit', 'Enter')
    await ground.screen('fork ended: discarded')
    ground.press('/click 1', 'Enter')
    await ground.screen('That button has been used already.')
  })

  it('is clicked by number, and from a list', async () => {
    const ground = await openTui({ rows: 40 })
    await run(ground, `Look for herons\n${embed}`)
    await ground.screen('[1 Count again]')
    ground.press('/click 7', 'Enter')
    await ground.screen('There is no button "7". There are: 1 Count again, 2 Leave them.')
    ground.press('F9')
    await ground.screen('Herons in the reeds ')
    ground.press('Esc', '/click 2', 'Enter')
    await ground.screen('[button] Say: left')
  })

  it('is refused while a fork is open, told only here, and the button stays', async () => {
    const ground = await openTui({ rows: 40 })
    await run(ground, `Look for herons\n${embed}`)
    ground.press('/fork', 'Enter')
    await ground.screen('└ open session')
    await ground.click('[1 Count again]')
    const screen = await ground.screen('You are already in a fork. End it first; the button waits for you.')
    expect(screen).toContain('[1 Count again]')
  })

  it('of main goes to main when it is clicked: when the fork has ended, which is told', async () => {
    const ground = await openTui({ rows: 40 })
    await ground.screen('Esc looks back')
    ground.press(embed, 'Enter')
    await ground.screen(/◆ main[\s\S]*\[1 Count again\]/)
    ground.press('/fork', 'Enter')
    await ground.screen('└ open session')
    ground.press('/click 1', 'Enter')
    await ground.screen('That goes to the main conversation, when this fork has ended.')
    ground.press('/exit', 'Enter')
    await ground.screen('[button] Say: counted')
    expect((await channelOf(ground)).openForkID).toBeNull()
  })

  it('says so when no agent has sent a button', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    ground.press('/click 1', 'Enter')
    await ground.screen('No agent has sent a button here lately.')
  })

  it('drives no terminal', async () => {
    const ground = await openTui()
    const title = 'Red\u001b[31m \u001b]0;owned\u0007herons'
    await run(ground, `Look\n${tool('send_embed', { title, body: 'b\u001b[2Jc', buttons: [] })}`)
    await ground.screen('Red herons')
    await ground.screen('bc')
    expect(ground.terminal.written).not.toContain('\u001b]0;owned')
    expect(ground.terminal.written).not.toContain('\u001b[31m')
  })

  it('of a run that failed is a notice that names it', async () => {
    const ground = await openTui()
    await run(ground, 'fail out of luck')
    await ground.screen(/The background run “fail out of luck” failed/)
  })
})

describe('what was sent before', () => {
  it('is there when the tab opens, where it came', async () => {
    const ground = await openTui({ prompts: ['Say: soup'], rows: 40 })
    await run(ground, `Look for herons\n${ping}`)
    await ground.screen('Two herons are here.')
    ground.press('Say: leek', 'Enter')
    await ground.screen('told me: “Say: leek”')
    ground.press('Alt+N')
    await ground.screen(/ 2 /)
    const [first] = ground.app.tabs
    if (first) ground.app.closeTab(first)
    await until('one tab', () => ground.app.tabs.length === 1)
    await ground.app.openTab(ground.session)
    await ground.screen(/▌ Say: soup[\s\S]*◆ Look for herons[\s\S]*Two herons are here\.[\s\S]*▌ Say: leek/)
  })

  it('stays through a fork and its end', async () => {
    const ground = await openTui({ rows: 40 })
    await run(ground, `Look for herons\n${ping}`)
    await ground.screen('Two herons are here.')
    ground.press('/fork', 'Enter')
    await ground.screen(/└ open session[\s\S]*Two herons are here\./)
    ground.press('/exit', 'Enter')
    const screen = await ground.screen('fork ended: discarded')
    expect(times(screen, 'Two herons are here.')).toBe(1)
  })
})

describe('a turn of another process', () => {
  it('is shown once, though its reply is sent to the channel, too', async () => {
    const ground = await openTui({ rows: 40 })
    await ground.screen('Esc looks back')
    await ground.turn('Say: from elsewhere')
    const reply = (await ground.bough.messages(ground.session.id)).at(-1)?.text ?? ''
    const { id } = await channelOf(ground)
    // As a process does that has run the turn and shows it to nobody.
    const store = await openStore(ground.home.data, Date.now)
    onTestFinished(() => store.close())
    const ids = createIds(Date.now, (length) => crypto.getRandomValues(new Uint8Array(length)))
    for (const text of [reply, 'And something else.'])
      await store.transaction((tx) =>
        post(tx, { ids, clock: Date.now }, id, ground.session.id, { kind: 'message', text }),
      )
    const screen = await ground.screen('And something else.')
    expect(times(screen, 'told me: “Say: from elsewhere”')).toBe(1)
    expect(screen).toContain('▌ Say: from elsewhere')
    const sent = await ground.bough.sent(id)
    expect(sent.map(({ what }) => what)).toContainEqual({ kind: 'message', text: reply })
  })
})
