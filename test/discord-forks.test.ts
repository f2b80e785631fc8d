import { describe, expect, it } from 'vitest'
import { tool } from '../src/forks/side/testing/ground.ts'
import { BotGround, isBanner, wordsOf } from './support/discord/bot-ground.ts'
import { deadButtons, liveButtons } from './support/discord/buttons.ts'
import type { Message } from './support/discord/message.ts'
import { SpokenAgent } from './support/spoken-agent.ts'

const exits = ['Save context', 'Report', 'Exit fork']
const [purple, green, blue] = [0x9b59b6, 0x2ecc71, 0x3498db]

const endings = [
  {
    button: 'Save context',
    command: 'save',
    call: tool('save_context'),
    colour: green,
    words: 'Fork ended\n**Context saved**\nThe fork was saved: it is the main conversation now.',
  },
  {
    button: 'Report',
    command: 'report',
    call: tool('report_updates', { message: 'herons are tall' }),
    colour: blue,
    words:
      /^Fork ended\n\*\*Summary reported\*\*\nThe fork was reported: the main conversation is told with its next message\.\n> .*(herons are tall|only the fork knows this).*$/,
  },
  {
    button: 'Exit fork',
    command: 'exit',
    call: tool('exit_fork'),
    colour: blue,
    words: 'Fork ended\n**Discarded**\nThe fork was discarded: nothing of it went to the main conversation.',
  },
] as const

type Ending = (typeof endings)[number]

/** Something said in main, then a fork in which something is said. */
async function inFork(): Promise<{ bot: BotGround; banner: Message; forkID: string; mainID: string }> {
  const bot = await BotGround.open()
  await bot.asks('main knows this', /“main knows this”/)
  const mainID = await bot.ground.main()
  const banner = await bot.forks()
  const { sessionID: forkID } = await bot.ground.openFork()
  await bot.asks('only the fork knows this', /“only the fork knows this”/)
  return { bot, banner, forkID, mainID }
}

/** The exit banner, the closed entry banner, and what main knows after it. */
async function expectEnd(
  { bot, banner, forkID, mainID }: Awaited<ReturnType<typeof inFork>>,
  { words, colour, button }: Ending,
): Promise<void> {
  const end = await bot.hears('Fork ended')
  if (typeof words === 'string') expect(wordsOf(end)).toBe(words)
  else expect(wordsOf(end)).toMatch(words)
  expect(end.embeds[0]?.color).toBe(colour)
  expect(liveButtons(end)).toEqual([])
  await bot.fake.until('the entry banner to be closed', () => deadButtons(banner).length === 3)
  expect([liveButtons(banner), deadButtons(banner)]).toEqual([[], exits])
  expect(wordsOf(banner)).toBe('Forked session\nopen session')
  expect(await bot.ground.isForkOpen()).toBe(false)
  expect(await bot.ground.main()).toBe(button === 'Save context' ? forkID : mainID)

  await bot.asks('what now', /“what now”/)
  const prompts = await bot.ground.prompts(await bot.ground.main())
  expect(prompts.includes('only the fork knows this')).toBe(button === 'Save context')
  expect(prompts.at(-1)).toBe('what now')
  const context = await bot.ground.contextOfLast(await bot.ground.main())
  expect(context.includes('Forks have reported:')).toBe(button === 'Report')
}

describe('/fork', () => {
  it('without a topic shows a purple banner "Forked session", "open session" and the three buttons, and nothing else', async () => {
    const bot = await BotGround.open()
    const banner = await bot.forks()
    expect(banner.embeds).toMatchObject([
      { title: 'Forked session', description: 'open session', color: purple },
    ])
    expect(liveButtons(banner)).toEqual(exits)
    expect(await bot.ground.openFork()).toMatchObject({ kind: 'interactive', origin: 'person', topic: null })
    await bot.fake.until('the command to be done', () => bot.whispered.length === 0)
    expect(bot.said).toEqual([banner])
    await bot.asks('hello', /“hello”/)
    expect(await bot.ground.prompts((await bot.ground.openFork()).sessionID)).toEqual(['hello'])
    expect(await bot.ground.prompts(await bot.ground.main())).toEqual([])
  })

  it('with a topic shows that, and the topic is the first message; its reply is streamed under the banner', async () => {
    const bot = await BotGround.open()
    await bot.asks('main knows this', /“main knows this”/)
    const banner = await bot.forks('pricing research')
    expect(wordsOf(banner)).toBe('Forked session\npricing research')
    const reply = await bot.hears(/You just told me: “pricing research”/)
    expect(bot.said.indexOf(reply)).toBe(bot.said.indexOf(banner) + 1)
    const { sessionID, topic } = await bot.ground.openFork()
    expect(topic).toBe('pricing research')
    expect(await bot.ground.prompts(sessionID)).toEqual(['main knows this', 'pricing research'])
    expect(await bot.ground.contextOfLast(sessionID)).toContain('[fork-started]')
    expect(wordsOf(banner)).not.toContain('[fork-started]')
  })

  it('when one is open is refused with "already in a fork", which only the asker sees', async () => {
    const { bot, forkID } = await inFork()
    const seen = bot.words
    const asked = bot.runs('fork', { topic: 'another' })
    expect(await bot.whispers('already in a fork')).toBe(
      'You are already in a fork. End it first: /save, /report or /exit.',
    )
    expect((await bot.fake.untilCallback(asked)).data).toMatchObject({ flags: 64 })
    expect(bot.words).toEqual(seen)
    expect((await bot.ground.openFork()).sessionID).toBe(forkID)
    expect(await bot.ground.sideForks()).toHaveLength(1)
  })

  it('while a turn runs waits its place', async () => {
    const bot = await BotGround.open()
    bot.writes('sleep 1')
    await bot.ground.held(1)
    bot.runs('fork', { topic: 'herons' })
    bot.writes('and then this')
    const store = await bot.ground.store()
    await bot.fake.until(
      'both to wait',
      async () => (await store.inbox.open(bot.ground.channelID)).length === 3,
    )
    expect(bot.said.some(isBanner)).toBe(false)
    bot.ground.release(1)
    await bot.hears(/You just told me: “and then this”/)
    expect(await bot.ground.prompts((await bot.ground.openFork()).sessionID)).toEqual([
      'sleep 1',
      'herons',
      'and then this',
    ])
    expect(await bot.ground.prompts(await bot.ground.main())).toEqual(['sleep 1'])
  })

  it('with a topic that is longer than a banner shows its beginning, and the agent gets all of it', async () => {
    const bot = await BotGround.open()
    const topic = `${'heron '.repeat(950)}end`
    const banner = await bot.forks(topic)
    expect(banner.embeds[0]?.description).toMatch(/^heron .*…$/)
    await bot.hears(/You just told me: “heron/)
    expect((await bot.ground.lastPrompt((await bot.ground.openFork()).sessionID)).text).toBe(topic)
  })
})

describe('a fork ends', () => {
  it('after the turn that still runs, and the person who clicks Exit is told so at once', async () => {
    const agent = new SpokenAgent()
    const bot = await BotGround.open({ ground: { drivers: [agent.driver] } })
    const banner = await bot.forks()
    bot.writes('speak')
    agent.says('There are')
    await bot.fake.until('a reply that is written', () =>
      bot.words.some((words) => words.startsWith('There are')),
    )
    bot.clicks(banner, 'Exit fork')
    await bot.fake.until('the sign', () =>
      bot.whispered.some((words) => words.includes('when this turn is over')),
    )
    expect(await bot.ground.isForkOpen()).toBe(true)
    agent.stops()
    await bot.hears('Discarded')
  })

  it.each(endings)('by the button $button, with the exit banner and its outcome in words', async (ending) => {
    const fork = await inFork()
    fork.bot.clicks(fork.banner, ending.button)
    await expectEnd(fork, ending)
  })

  it.each(endings)("by the agent's tool: $call", async (ending) => {
    const fork = await inFork()
    fork.bot.writes(ending.call)
    await expectEnd(fork, ending)
    if (ending.button === 'Report')
      expect(await fork.bot.ground.contextOfLast(await fork.bot.ground.main())).toContain('herons are tall')
  })

  it.each(endings)('by the command /$command', async (ending) => {
    const fork = await inFork()
    fork.bot.runs(ending.command)
    await expectEnd(fork, ending)
    expect(fork.bot.whispered).toEqual([])
  })

  it('by the button Report with the summary that the agent in the fork is asked for', async () => {
    const { bot, banner, forkID } = await inFork()
    bot.ground.answers.set('This fork ends with a report', tool('report_updates', { message: 'a summary' }))
    bot.clicks(banner, 'Report')
    await bot.hears('Summary reported')
    expect(await bot.ground.updates()).toEqual(['a summary'])
    expect((await bot.ground.sideForks()).find(({ sessionID }) => sessionID === forkID)).toMatchObject({
      outcome: 'reported',
    })
  })

  it('saved after main has moved on says how many messages stay on the old branch, and names it', async () => {
    const bot = await BotGround.open()
    const banner = await bot.forks()
    await bot.asks('in the fork', /“in the fork”/)
    const mainID = await bot.ground.main()
    await (await bot.ground.bough.send(mainID, 'beside it')).ended
    bot.clicks(banner, 'Save context')
    const end = await bot.hears('Context saved')
    expect(wordsOf(end)).toContain(`2 messages stay on the branch that was main before, ${mainID}.`)
  })
})

describe('the agent enters a fork by itself', () => {
  it('with a topic: after its turn the banner shows it, no confirmation is asked, and the topic is worked on', async () => {
    const bot = await BotGround.open()
    await bot.asks(tool('enter_fork', { topic: 'count herons' }), /Instructions done: 1 of 1/)
    await bot.hears(/You just told me: “count herons”/)
    const [turn, banner, reply, ...more] = bot.words
    expect(turn).toContain('tool enter_fork: done')
    expect(banner).toBe('Forked session\ncount herons')
    expect(reply).toContain('count herons')
    expect(more).toEqual([])
    expect(await bot.ground.openFork()).toMatchObject({ origin: 'agent', topic: 'count herons' })
    const [shown] = bot.said.filter(isBanner)
    if (!shown) throw new Error('no banner')
    bot.clicks(shown, 'Exit fork')
    await bot.hears('Discarded')
  })

  it('without one: the banner says "open session", and the person talks first', async () => {
    const bot = await BotGround.open()
    bot.writes(tool('enter_fork'))
    const banner = await bot.hears('Forked session')
    expect([wordsOf(banner), liveButtons(banner)]).toEqual(['Forked session\nopen session', exits])
    await bot.asks('now we talk', /“now we talk”/)
    expect(await bot.ground.prompts((await bot.ground.openFork()).sessionID)).toContain('now we talk')
  })
})
