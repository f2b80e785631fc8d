import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { openTui, type TuiGround } from '../testing/ground.ts'

const channelOf = ({ bough, session }: TuiGround) => bough.channelOf(session.id)

async function run(ground: TuiGround, text: string): Promise<void> {
  await ground.screen('Esc looks back')
  const { id } = await channelOf(ground)
  const prompt = `Look for ${text}\ntool ping_user {"text":"Found ${text}."}`
  await ground.bough.runBackground(id, prompt)
  await ground.screen(`┃ Found ${text}.`)
}

/** The parent of the fork that is open. */
async function parentOfFork(ground: TuiGround): Promise<string | null> {
  const { openForkID } = await channelOf(ground)
  return openForkID && (await ground.bough.session(openForkID)).parentID
}

describe('/reply', () => {
  it('goes on with what a fork said last', async () => {
    const ground = await openTui({ rows: 40 })
    await run(ground, 'herons')
    await run(ground, 'otters')
    ground.press('/reply Say: how many?', 'Enter')
    await ground.screen(/└ [\s\S]*told me: “Say: how many\?”/)
    const otters = (await ground.bough.sideForks()).find(({ prompt }) => prompt?.includes('otters'))
    expect(await parentOfFork(ground)).toBe(otters?.sessionID)
  })

  it('without words lets the person choose, and the next message is the reply', async () => {
    const ground = await openTui({ rows: 40 })
    await run(ground, 'herons')
    await run(ground, 'otters')
    ground.press('F4')
    await ground.screen('Reply to')
    ground.press('herons', 'Enter')
    await ground.screen(/↩ .*Found herons\..*Esc leaves it/)
    ground.press('Say: how many?', 'Enter')
    await ground.screen('told me: “Say: how many?”')
    const herons = (await ground.bough.sideForks()).find(({ prompt }) => prompt?.includes('herons'))
    expect(await parentOfFork(ground)).toBe(herons?.sessionID)
    expect(await ground.screen()).not.toContain('↩')
  })

  it('names a fork without a topic by its title, as the tabs do', async () => {
    const ground = await openTui({ rows: 40 })
    await ground.screen('Esc looks back')
    ground.press('/fork', 'Enter')
    await ground.screen('└ open session')
    ground.press('Say: how many?', 'Enter')
    await ground.screen('told me: “Say: how many?”')
    ground.press('/exit', 'Enter')
    await until('it to end', async () => (await channelOf(ground)).openForkID === null)
    ground.press('F4')
    expect(await ground.screen('Reply to')).toMatch(/│ +Say: how many\?: I am/)
  })

  it('is for the tab that was shown when it was asked for', async () => {
    const ground = await openTui({ rows: 40 })
    await run(ground, 'herons')
    const first = ground.app.tab
    const other = await ground.app.openTab(
      await ground.bough.create({ title: 'Bread', directory: ground.directory }),
    )
    ground.app.showTab(first)
    ground.app.perform('reply.open')
    ground.app.showTab(other)
    await ground.screen(/Reply to[\s\S]*Found herons\./)
    ground.press('Enter')
    expect(first.replyTo?.text).toContain('Found herons.')
    expect(other.replyTo).toBeNull()
  })

  it('is left with Esc: the next message goes to main again', async () => {
    const ground = await openTui({ rows: 40 })
    await run(ground, 'herons')
    ground.press('F4')
    await ground.screen('Reply to')
    ground.press('Enter')
    await ground.screen('Esc leaves the reply')
    ground.press('Esc')
    await ground.screen('Esc looks back')
    ground.press('Say: soup', 'Enter')
    await ground.screen('told me: “Say: soup”')
    expect((await channelOf(ground)).openForkID).toBeNull()
  })

  it('goes on with an interactive fork that has ended', async () => {
    const ground = await openTui({ rows: 40 })
    await ground.screen('Esc looks back')
    ground.press('/fork Say: herons', 'Enter')
    await ground.screen('told me: “Say: herons”')
    const { openForkID } = await channelOf(ground)
    await ground.screen('asks in')
    ground.press('/exit', 'Enter')
    await ground.screen('fork ended: discarded')
    ground.press('/reply Say: and now?', 'Enter')
    await ground.screen(/told me: “Say: and now\?”[\s\S]*“Say: herons”/)
    expect(await parentOfFork(ground)).toBe(openForkID)
  })

  it('while a fork is open goes there, says so, and quotes what it replies to', async () => {
    const ground = await openTui({ rows: 40 })
    await run(ground, 'herons')
    ground.press('/fork', 'Enter')
    await ground.screen('└ open session')
    ground.press('/reply Say: how many?', 'Enter')
    await ground.screen('You are in a fork: your reply goes there')
    await until('the reply', async () => {
      const { openForkID } = await channelOf(ground)
      const messages = openForkID ? await ground.bough.messages(openForkID) : []
      return messages.some(({ parts }) =>
        parts.some((part) => part.type === 'context' && part.text.includes('Found herons.')),
      )
    })
  })

  it('where no fork has said anything sends nothing, and keeps the words', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    ground.press('/reply hello', 'Enter')
    const screen = await ground.screen('No fork has said anything here lately; nothing was sent.')
    expect(screen).toContain('/reply hello')
    expect(await ground.bough.messages(ground.session.id)).toEqual([])
  })
})

describe('what a fork says', () => {
  it('is linked, so that a reply from elsewhere goes on with it', async () => {
    const ground = await openTui({ rows: 40 })
    await ground.screen('Esc looks back')
    ground.press('/fork Say: herons', 'Enter')
    await ground.screen('told me: “Say: herons”')
    const { id, openForkID } = await channelOf(ground)
    const answer =
      openForkID && (await ground.bough.messages(openForkID)).findLast(({ role }) => role === 'assistant')
    ground.press('/exit', 'Enter')
    await ground.screen('fork ended: discarded')
    const replyTo = { externalID: answer ? answer.id : '', text: 'herons' }
    await ground.bough.say(id, { kind: 'message', text: 'Say: again', replyTo })
    await ground.screen('told me: “Say: again”')
    expect(await parentOfFork(ground)).toBe(openForkID)
  })
})
