import { describe, expect, it } from 'vitest'
import { embed, tool } from '../src/forks/side/testing/ground.ts'
import type { SessionID } from '../src/tree/ids.ts'
import { BotGround, wordsOf } from './support/discord/bot-ground.ts'
import { liveButtons } from './support/discord/buttons.ts'
import type { Message } from './support/discord/message.ts'

const week = 7 * 24 * 60

/** A background run that sends something, and its message. */
async function pinged(bot: BotGround, text = 'The heron is here.') {
  const run = await bot.ground.run(`count the herons\n${tool('ping_user', { text })}`)
  return { run, message: await bot.hears(text) }
}

const parentOf = async ({ ground }: BotGround, id: SessionID): Promise<SessionID | null> =>
  (await ground.bough.session(id)).parentID

/** Replies, and waits until that is answered. */
const replies = (bot: BotGround, replyTo: Message, text: string): Promise<Message> =>
  bot.asks(text, new RegExp(`You just told me: “${text}”`), { replyTo })

/** Ends the open fork. */
async function ends(bot: BotGround): Promise<void> {
  const { sessionID } = await bot.ground.openFork()
  bot.runs('exit')
  await bot.ground.ended(sessionID)
}

describe('a reply to what a fork sent, while no fork is open', () => {
  it('opens a fork from that fork, with the banner; the pending updates stand before it', async () => {
    const bot = await BotGround.open()
    await bot.asks('main knows this', /“main knows this”/)
    await bot.ground.run(tool('report_updates', { message: 'herons are tall' }))
    const { run, message } = await pinged(bot)
    await replies(bot, message, 'And then')
    const fork = await bot.ground.openFork()
    expect(fork).toMatchObject({ origin: 'reply', topic: null })
    expect(await parentOf(bot, fork.sessionID)).toBe(run.sessionID)
    expect(await bot.ground.prompts(fork.sessionID)).toEqual(['main knows this', run.prompt, 'And then'])
    const context = await bot.ground.contextOfLast(fork.sessionID)
    expect(context).toContain('the person has replied to a message that you sent')
    expect(context).toContain('> The heron is here.')
    expect(context).toContain('herons are tall')
    const banner = await bot.hears('Forked session')
    expect(wordsOf(banner)).toBe('Forked session\ncontinues “count the herons”')
    bot.clicks(banner, 'Exit fork')
    await bot.hears('Discarded')
    expect(await bot.ground.sideFork(run.sessionID)).toEqual(run)
  })

  it.each<[string, (bot: BotGround) => Promise<Message>]>([
    [
      'a streamed message',
      (bot) => bot.asks('something in the fork', /You just told me: “something in the fork”/),
    ],
    ['its banner', async (bot) => bot.hears('Forked session')],
    ['what its agent sent by a tool', (bot) => bot.asks(tool('ping_user', { text: 'a ping' }), /^a ping$/)],
  ])('also to %s of an interactive fork that has ended', async (_, get) => {
    const bot = await BotGround.open()
    await bot.forks('herons')
    await bot.hears(/“herons”/)
    const { sessionID } = await bot.ground.openFork()
    const message = await get(bot)
    await ends(bot)
    await replies(bot, message, 'go on')
    const fork = await bot.ground.openFork()
    expect(fork.sessionID).not.toBe(sessionID)
    expect(await parentOf(bot, fork.sessionID)).toBe(sessionID)
    expect(await bot.ground.prompts(fork.sessionID)).toEqual([
      ...(await bot.ground.prompts(sessionID)),
      'go on',
    ])
  })

  it('also to the banner of its end', async () => {
    const bot = await BotGround.open()
    await bot.forks('herons')
    await bot.hears(/“herons”/)
    const { sessionID } = await bot.ground.openFork()
    await ends(bot)
    await replies(bot, await bot.hears('Fork ended'), 'go on')
    expect(await parentOf(bot, (await bot.ground.openFork()).sessionID)).toBe(sessionID)
  })

  it('to each of the several messages of a long reply', async () => {
    const bot = await BotGround.open()
    await bot.forks()
    const { sessionID } = await bot.ground.openFork()
    const before = bot.said.length
    bot.writes('words 900\nend of it')
    const last = await bot.hears(/“end of it”/)
    const pages = bot.said.slice(before)
    expect(pages.length).toBeGreaterThanOrEqual(3)
    expect(pages.at(-1)).toBe(last)
    await ends(bot)
    for (const [i, page] of pages.entries()) {
      await replies(bot, page, `page ${i}`)
      const fork = await bot.ground.openFork()
      expect(await parentOf(bot, fork.sessionID)).toBe(sessionID)
      await ends(bot)
    }
  })

  it('to each of the several messages of a long ping', async () => {
    const bot = await BotGround.open()
    const text = Array.from({ length: 500 }, (_, i) => `heron ${i}`).join('\n')
    const { sessionID } = await bot.ground.run(`count\n${tool('ping_user', { text })}`)
    await bot.hears('heron 499')
    const pages = [...bot.said]
    expect(pages.length).toBeGreaterThanOrEqual(3)
    expect(pages.map(wordsOf).join('\n')).toBe(`-# background run “count”\n${text}`)
    for (const [i, page] of pages.entries()) {
      await replies(bot, page, `page ${i}`)
      expect(await parentOf(bot, (await bot.ground.openFork()).sessionID)).toBe(sessionID)
      await ends(bot)
    }
  })

  it.each([
    ['words', tool('ping_user', { text: 'The heron is here.' })],
    ['a card', embed('count them')],
    ['a failure', 'fail no heron is here'],
  ])('also before Discord has told the bot that it is there: %s', async (_, deed) => {
    const bot = await BotGround.open()
    bot.fake.faults.push({ method: 'POST', path: /\/messages$/, after: true, delayMs: 300 })
    const { sessionID } = await bot.ground.run(`count\n${deed}`)
    await replies(bot, await bot.hears(/heron/i), 'And then')
    expect(await parentOf(bot, (await bot.ground.openFork()).sessionID)).toBe(sessionID)
  })

  it('also after a restart', async () => {
    const bot = await BotGround.open()
    const { run, message } = await pinged(bot)
    await bot.restart()
    await replies(bot, message, 'And then')
    expect(await parentOf(bot, (await bot.ground.openFork()).sessionID)).toBe(run.sessionID)
  })
})

describe('a reply to what a fork sent, while a fork is open', () => {
  it('goes to the open fork, quotes what was replied to, and says so', async () => {
    const bot = await BotGround.open()
    const { message } = await pinged(bot)
    const banner = await bot.forks()
    const { sessionID } = await bot.ground.openFork()
    await replies(bot, message, 'And then')
    expect((await bot.ground.openFork()).sessionID).toBe(sessionID)
    expect(await bot.ground.prompts(sessionID)).toEqual(['And then'])
    expect(await bot.ground.contextOfLast(sessionID)).toContain(
      'The person replies to this message:\n> The heron is here.',
    )
    await bot.hears('-# You are in a fork: your reply goes there, and quotes what you replied to.')
    expect(liveButtons(banner)).toHaveLength(3)
  })
})

describe('a reply to what a fork sent more than seven days ago', () => {
  it('quotes it in main, and the person is told that the run is too old', async () => {
    const bot = await BotGround.open()
    const { message } = await pinged(bot)
    bot.pass(week + 1)
    await bot.ground.looked()
    await replies(bot, message, 'And then')
    await bot.hears('-# That run is too old to go on with. Your reply quotes it instead.')
    expect(await bot.ground.isForkOpen()).toBe(false)
    expect(await bot.ground.contextOfLast(await bot.ground.main())).toContain('> The heron is here.')
  })

  it('is not too old an hour before', async () => {
    const bot = await BotGround.open()
    const { run, message } = await pinged(bot)
    bot.pass(week - 60)
    await bot.ground.looked()
    await replies(bot, message, 'And then')
    expect(await parentOf(bot, (await bot.ground.openFork()).sessionID)).toBe(run.sessionID)
  })
})

describe('a reply to what no fork sent', () => {
  it('of main, or of the person: what was replied to is quoted before the prompt, and nothing is told', async () => {
    const bot = await BotGround.open()
    const own = bot.writes('herons')
    const main = await bot.hears(/“herons”/)
    for (const [replyTo, text, quote] of [
      [main, 'why', 'You just told me: “herons”'],
      [own, 'I meant', '> herons'],
    ] as const) {
      await replies(bot, replyTo, text)
      expect(await bot.ground.contextOfLast(await bot.ground.main())).toContain(quote)
    }
    expect(await bot.ground.sideForks()).toEqual([])
    expect(bot.words.filter((words) => words.startsWith('-#'))).toEqual([])
  })

  it('in an open fork goes there', async () => {
    const bot = await BotGround.open()
    const main = await bot.asks('herons', /“herons”/)
    await bot.forks()
    const { sessionID } = await bot.ground.openFork()
    await replies(bot, main, 'why')
    expect((await bot.ground.prompts(sessionID)).at(-1)).toBe('why')
    expect(await bot.ground.contextOfLast(sessionID)).toContain('> ')
  })

  it('to a fork that was saved: it is main now', async () => {
    const bot = await BotGround.open()
    const banner = await bot.forks()
    const message = await bot.asks('in the fork', /“in the fork”/)
    bot.clicks(banner, 'Save context')
    await bot.hears('Context saved')
    await replies(bot, message, 'why')
    expect(await bot.ground.isForkOpen()).toBe(false)
    expect(await bot.ground.prompts(await bot.ground.main())).toEqual(['in the fork', 'why'])
  })
})
