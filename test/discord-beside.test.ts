import { describe, expect, it } from 'vitest'
import { embed, minute, tool } from '../src/forks/side/testing/ground.ts'
import type { SessionID } from '../src/tree/ids.ts'
import { BotGround, wordsOf } from './support/discord/bot-ground.ts'
import { liveButtons } from './support/discord/buttons.ts'
import type { Message } from './support/discord/message.ts'

const ping = (text: string): string => tool('ping_user', { text })

async function expectAnswerable(bot: BotGround, message: Message, run: SessionID): Promise<void> {
  await bot.asks('go on', /You just told me: “go on”/, { replyTo: message })
  const { sessionID, origin } = await bot.ground.openFork()
  expect([origin, (await bot.ground.bough.session(sessionID)).parentID]).toEqual(['reply', run])
}

describe('the idle timer', () => {
  it('asks the agent, whose words are shown, but not what it was asked; a message of the person clears it', async () => {
    const bot = await BotGround.open()
    bot.ground.answers.set('[fork-timeout]', 'are you still there')
    const banner = await bot.forks()
    await bot.asks('in the fork', /“in the fork”/)
    bot.pass(11)
    const question = await bot.hears('are you still there')
    expect(wordsOf(question)).not.toContain('Nobody has said anything')
    expect(liveButtons(banner)).toHaveLength(3)
    await bot.asks('yes', /“yes”/)
    expect(await bot.ground.openFork()).toMatchObject({ promptedAt: null })
    bot.pass(9)
    await bot.ground.looked()
    expect(await bot.ground.isForkOpen()).toBe(true)
  })

  it('then ends the fork with a report, and the banner says why; main is told with its next message', async () => {
    const bot = await BotGround.open()
    bot.ground.answers.set('[fork-timeout]', 'are you still there')
    const banner = await bot.forks()
    await bot.asks('in the fork', /“in the fork”/)
    bot.pass(11)
    await bot.hears('are you still there')
    await bot.ground.looked()
    bot.pass(11)
    const end = await bot.hears('Fork ended')
    expect(wordsOf(end)).toBe(
      'Fork ended\n**Summary reported**\nNobody said anything any more. The fork was reported: the main conversation is told with its next message.\n> I am no model and cannot sum up. What you told me last: “in the fork”, “are you still there”.',
    )
    await bot.fake.until('the banner to be closed', () => liveButtons(banner).length === 0)
    await bot.asks('what news', /“what news”/)
    expect(await bot.ground.contextOfLast(await bot.ground.main())).toMatch(
      /Forks have reported:\n- .*“in the fork”/,
    )
  })

  it('counts across a restart', async () => {
    const bot = await BotGround.open()
    await bot.forks()
    bot.pass(6)
    await bot.stop()
    bot.pass(6)
    await bot.comesBack()
    await bot.hears(/\[fork-timeout\]/)
  })
})

describe('a background run', () => {
  it('that pings: its words are a message, nothing else of it is shown, and it can be answered', async () => {
    const bot = await BotGround.open()
    const run = await bot.ground.run(`count\n${ping('Two herons.')}`)
    const message = await bot.hears('Two herons.')
    expect(bot.words).toEqual(['-# background run “count”\nTwo herons.'])
    await expectAnswerable(bot, message, run.sessionID)
  })

  it('that sends a card: it can be answered by a reply, too', async () => {
    const bot = await BotGround.open()
    const run = await bot.ground.run(`count\n${embed('count again')}`)
    await expectAnswerable(bot, await bot.hears('Herons\nThere are some.'), run.sessionID)
  })

  it('that fails: one short notice names it, and can be answered', async () => {
    const bot = await BotGround.open()
    const run = await bot.ground.run('count the herons\nfail no herons today')
    const notice = await bot.hears('failed')
    expect(wordsOf(notice)).toBe(
      '-# The background run “count the herons” failed: no herons today. Reply to this message to go on with it.',
    )
    expect(bot.said).toHaveLength(1)
    await expectAnswerable(bot, notice, run.sessionID)
  })

  it('that takes too long: the same', async () => {
    const bot = await BotGround.open()
    const { sessionID } = await bot.ground.bough.runBackground(bot.ground.channelID, 'sleep 1', {
      timeout: 5,
    })
    await bot.ground.held(1)
    bot.pass(6)
    const notice = await bot.hears('took too long and was stopped')
    await expectAnswerable(bot, notice, sessionID)
  })

  it('that says nothing shows nothing; that reports tells main with its next message', async () => {
    const bot = await BotGround.open()
    await bot.ground.run('count quietly')
    await bot.ground.run(tool('report_updates', { message: 'herons are tall' }))
    await bot.asks('what news', /“what news”/)
    expect(bot.said).toHaveLength(1)
    expect(await bot.ground.contextOfLast(await bot.ground.main())).toContain('herons are tall')
  })

  it('that saves ends with the banner, and main goes on from it', async () => {
    const bot = await BotGround.open()
    const { sessionID } = await bot.ground.run(`count\n${tool('save_context')}`)
    expect(wordsOf(await bot.hears('Fork ended'))).toContain('Context saved')
    expect(await bot.ground.main()).toBe(sessionID)
    await bot.asks('and now', /“and now”/)
    expect((await bot.ground.prompts(sessionID)).at(-1)).toBe('and now')
  })

  it('whose message came while the bot was away is shown when it is back', async () => {
    const bot = await BotGround.open()
    await bot.stop()
    const other = await bot.ground.another()
    await other.runBackground(bot.ground.channelID, ping('while you were away'))
    await other.keepTime()
    await bot.fake.until('the run to end', async () =>
      (await other.sideForks()).every(({ state }) => state === 'ended'),
    )
    expect(bot.said).toEqual([])
    await bot.comesBack()
    await bot.hears('while you were away')
    expect(bot.said).toHaveLength(1)
  })
})

describe('a schedule', () => {
  it('a routine posts at its time, every day, and each run can be answered', async () => {
    const bot = await BotGround.open()
    await bot.asks('main knows this', /“main knows this”/)
    const { id } = await bot.ground.bough.addRoutine(bot.ground.channelID, {
      ...{ cron: '0 9 * * *', zone: 'UTC', prompt: `look\n${embed('count them')}` },
    })
    const cards = () => bot.said.filter((message) => wordsOf(message).includes('\nHerons\n'))
    bot.ground.time.now = Date.UTC(2026, 10, 16, 9)
    await bot.hears('Herons')
    const [first] = await bot.ground.bough.scheduleRuns(id)
    await bot.ground.ended(first?.sessionID ?? 'ses_')
    bot.ground.time.now = Date.UTC(2026, 10, 17, 9)
    const second = await bot.fake.until('the second', () => cards()[1])
    const [run] = await bot.ground.bough.scheduleRuns(id)
    expect(cards()).toHaveLength(2)
    await expectAnswerable(bot, second, run?.sessionID ?? 'ses_')
    expect(await bot.ground.prompts((await bot.ground.openFork()).sessionID)).toEqual([
      'main knows this',
      `look\n${embed('count them')}`,
      'go on',
    ])
  })

  it('a reminder posts once; one for main is a turn there, which is streamed', async () => {
    const bot = await BotGround.open()
    const at = bot.ground.time.now + 30 * minute
    await bot.ground.bough.addReminder(bot.ground.channelID, { at, prompt: ping('Feed the heron.') })
    await bot.ground.bough.addReminder(bot.ground.channelID, { at, prompt: 'feed it now', mode: 'main' })
    bot.pass(31)
    await bot.hears('Feed the heron.')
    await bot.hears(/You just told me: “feed it now”/)
    bot.pass(24 * 60)
    await bot.ground.looked()
    expect(bot.said).toHaveLength(2)
    expect(await bot.ground.prompts(await bot.ground.main())).toEqual(['feed it now'])
  })

  it('what was missed while the bot was away runs late, and says so', async () => {
    const bot = await BotGround.open()
    const at = bot.ground.time.now + 30 * minute
    await bot.ground.bough.addReminder(bot.ground.channelID, { at, prompt: 'feed it now', mode: 'main' })
    await bot.stop()
    bot.pass(3 * 60)
    await bot.comesBack()
    await bot.hears(/“feed it now”/)
    expect(await bot.ground.contextOfLast(await bot.ground.main())).toContain('This reminder comes late')
  })

  it('one that the agent makes is approved by a button first', async () => {
    const bot = await BotGround.open()
    bot.writes(tool('add_reminder', { in_minutes: 30, prompt: ping('Feed the heron.') }))
    const question = await bot.hears('May the agent do this?')
    expect(wordsOf(question)).toContain('add\\_reminder')
    expect(await bot.ground.bough.schedules()).toEqual([])
    bot.clicks(question, 'Allow once')
    await bot.fake.until('the reminder', async () => (await bot.ground.bough.schedules()).length === 1)
    bot.pass(31)
    await bot.hears(/^Feed the heron\.$/m)
  })
})
