import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tool } from '../src/forks/side/testing/ground.ts'
import { BotGround, wordsOf } from './support/discord/bot-ground.ts'
import { clicksOld, deadButtons, liveButtons } from './support/discord/buttons.ts'
import type { Message } from './support/discord/message.ts'
import { SpokenAgent } from './support/spoken-agent.ts'

const exits = ['Save context', 'Report', 'Exit fork']

const closed = (bot: BotGround, banner: Message): Promise<boolean> =>
  bot.fake.until('the banner to be closed', () => liveButtons(banner).length === 0)

const ends = (bot: BotGround): readonly string[] =>
  bot.words.filter((words) => words.startsWith('Fork ended'))

describe("the entry banner's buttons are disabled when its fork ends", () => {
  it.each<[string, (bot: BotGround, banner: Message) => Promise<unknown>]>([
    ['a button', async (bot, banner) => bot.clicks(banner, 'Exit fork')],
    ['a command', async (bot) => bot.runs('exit')],
    ["the agent's tool", async (bot) => bot.writes(tool('exit_fork'))],
    [
      'somebody elsewhere',
      async ({ ground }) => ground.bough.exit((await ground.openFork()).sessionID, { action: 'discard' }),
    ],
    [
      'the idle timer',
      async (bot) => {
        bot.pass(11)
        await bot.hears(/\[fork-timeout\]/)
        bot.pass(11)
      },
    ],
    [
      'somebody while the bot is away',
      async (bot) => {
        const { sessionID } = await bot.ground.openFork()
        await bot.stop()
        const other = await bot.ground.another()
        await other.exit(sessionID, { action: 'discard' })
        await bot.comesBack()
      },
    ],
  ])('by %s', async (_, end) => {
    const bot = await BotGround.open()
    const banner = await bot.forks('herons')
    await bot.hears(/“herons”/)
    await end(bot, banner)
    await closed(bot, banner)
    expect(deadButtons(banner)).toEqual(exits)
    expect(wordsOf(banner)).toBe('Forked session\nherons')
    await bot.hears('Fork ended')
    expect(ends(bot)).toHaveLength(1)
  })

  it('after a restart, where Discord did not take that', async () => {
    const bot = await BotGround.open()
    const banner = await bot.forks('herons')
    await bot.hears(/“herons”/)
    const refusal = { status: 403, body: { message: 'Missing Access', code: 50_001 } }
    bot.fake.faults.push({ method: 'PATCH', path: new RegExp(`/messages/${banner.id}$`), ...refusal })
    bot.clicks(banner, 'Exit fork')
    await bot.fake.until('the refusal', () => bot.fake.faults.length === 0)
    await bot.restart()
    await closed(bot, banner)
    expect(wordsOf(banner)).toBe('Forked session\nherons')
    await bot.hears('Fork ended')
    expect(ends(bot)).toHaveLength(1)
  })

  it('unless Discord refuses that for good: it is logged once, and all else goes on', async () => {
    const bot = await BotGround.open()
    const banner = await bot.forks('herons')
    await bot.hears(/“herons”/)
    const refusal = { message: 'Cannot edit a message authored by another user', code: 50_005 }
    bot.fake.faults.push({
      ...{ method: 'PATCH', path: new RegExp(`/messages/${banner.id}$`) },
      ...{ status: 403, body: refusal, times: 1_000_000 },
    })
    bot.clicks(banner, 'Exit fork')
    await bot.hears('Fork ended')
    await bot.asks('storks', '“storks”')
    expect(ends(bot)).toHaveLength(1)
    expect(bot.log).toEqual([`The banner of a fork that is over keeps its buttons: ${refusal.message}`])
  })

  it('and those of no other: each fork has its own', async () => {
    const bot = await BotGround.open()
    const first = await bot.forks()
    bot.clicks(first, 'Exit fork')
    await closed(bot, first)
    const second = await bot.forks()
    expect(liveButtons(second)).toEqual(exits)
    bot.clicks(second, 'Report')
    await closed(bot, second)
    await bot.fake.until('both to have ended', () => ends(bot).length === 2)
  })
})

describe('what was left is tidied up beside the start', () => {
  const refusal = { status: 403, body: { message: 'Missing Access', code: 50_001 } }
  const edits = { method: 'PATCH', path: /\/messages\/\d+$/ }

  it.each([
    ['refuses that for good', refusal],
    ['fails for a while', { status: 503, times: 9 }],
  ])('the banner of a fork that has ended: the bot is there also when Discord %s', async (_, fault) => {
    const bot = await BotGround.open()
    const banner = await bot.forks('herons')
    await bot.hears(/“herons”/)
    const { sessionID } = await bot.ground.openFork()
    await bot.stop()
    await (await bot.ground.another()).exit(sessionID, { action: 'discard' })
    bot.fake.faults.push({ ...edits, ...fault })
    await bot.comesBack()
    await closed(bot, banner)
    await bot.asks('storks', '“storks”')
    expect(ends(bot)).toHaveLength(1)
  })

  it.each([
    ['refuses that for good', refusal, 'Missing Access'],
    ['fails', { status: 503, times: 4 }, 'Service Unavailable'],
  ])(
    'a reply that was cut off: the bot is there also when Discord %s, and it is logged',
    async (_, fault, why) => {
      const agent = new SpokenAgent()
      const bot = await BotGround.open({ ground: { drivers: [agent.driver] } })
      const left = 'There are herons\n-# writing …'
      bot.writes('speak')
      agent.says(left)
      agent.stops()
      await bot.fake.until('a reply that looks cut off', () => bot.words[0] === left)
      await bot.stop()
      bot.fake.faults.push({ ...edits, ...fault })
      await bot.comesBack()
      expect(bot.log).toEqual([`An old reply still says “writing”: ${why}`])
      await bot.restart()
      expect(bot.words).toEqual(['There are herons'])
    },
  )

  it.each([
    ['refuses to say what that is', refusal, /does not let the bot in \(Missing Access\)/],
    ['cannot say what that is', { status: 503, times: 4 }, /does not let the bot in .* try again later/],
    ['does not know the token any more', { status: 401 }, /does not know this token/],
  ])('and where Discord %s, there is no bot, and it is said why', async (_, fault, why) => {
    const bot = await BotGround.open({ isAway: true })
    bot.fake.faults.push({ method: 'GET', path: /\/messages$/, ...fault })
    await expect(bot.start()).rejects.toThrow(why)
  })
})

describe('a click on an old banner', () => {
  it('that the client still shows as live says that the fork is over, to the clicker only', async () => {
    const bot = await BotGround.open()
    const banner = await bot.forks()
    const before = structuredClone(banner)
    bot.clicks(banner, 'Save context')
    await closed(bot, banner)
    await bot.hears('Context saved')
    const seen = bot.words
    for (const button of exits) clicksOld(bot, before, button)
    await bot.fake.until('three words', () => bot.whispered.length === 3)
    expect(new Set(bot.whispered)).toEqual(new Set(['That fork is over: it was saved.']))
    expect(bot.words).toEqual(seen)
    expect(deadButtons(banner)).toEqual(exits)
  })

  it('while the next fork is open ends nothing', async () => {
    const bot = await BotGround.open()
    const first = await bot.forks()
    const before = structuredClone(first)
    bot.clicks(first, 'Exit fork')
    await closed(bot, first)
    const second = await bot.forks()
    const { sessionID } = await bot.ground.openFork()
    clicksOld(bot, before, 'Save context')
    await bot.whispers('That fork is over: it was discarded.')
    expect((await bot.ground.openFork()).sessionID).toBe(sessionID)
    expect(liveButtons(second)).toEqual(exits)
  })

  it('that nobody would know any more does nothing', async () => {
    const bot = await BotGround.open()
    const message = await bot.asks('hello', /“hello”/)
    bot.fake.userForges(bot.dm, bot.owner, 'exit:save:ses_01kc0000000000000000000000', message)
    await bot.whispers('There is no session')
    bot.fake.userForges(bot.dm, bot.owner, 'over:save', message)
    await bot.whispers('That button does nothing any more.')
  })
})

describe('two clicks at once', () => {
  it.each([
    ['Exit fork', 'Save context'],
    ['Save context', 'Save context'],
    ['Report', 'Exit fork'],
  ])('%s and %s: the first wins, the second is told that it is over', async (first, second) => {
    const bot = await BotGround.open()
    const banner = await bot.forks()
    await bot.asks('in the fork', /“in the fork”/)
    bot.clicks(banner, first)
    bot.clicks(banner, second)
    await bot.whispers('That fork is over')
    await closed(bot, banner)
    await bot.hears('Fork ended')
    expect(ends(bot)).toHaveLength(1)
    const outcomes = { 'Exit fork': 'discarded', 'Save context': 'saved', Report: 'reported' }
    expect((await bot.ground.sideForks())[0]?.outcome).toBe(outcomes[first as keyof typeof outcomes])
  })

  it('a click while a turn is ending the fork: what the agent wished counts', async () => {
    const bot = await BotGround.open()
    const banner = await bot.forks()
    bot.writes(`${tool('report_updates', { message: 'herons' })}\nsleep 1`)
    await bot.ground.held(1)
    const click = bot.clicks(banner, 'Save context')
    await bot.fake.untilCallback(click)
    bot.ground.release(1)
    await bot.whispers('That fork is over: it was reported.')
    expect(await bot.ground.updates()).toEqual(['herons'])
  })
})

describe('banners outlive interaction tokens', () => {
  it('one of twenty minutes ago is edited as a message when its fork ends', async () => {
    const bot = await BotGround.open()
    const banner = await bot.forks()
    await bot.asks('a', /“a”/)
    bot.pass(8)
    await bot.asks('b', /“b”/)
    bot.pass(8)
    await bot.asks('c', /“c”/)
    bot.pass(4)
    bot.clicks(banner, 'Save context')
    await closed(bot, banner)
    expect(bot.fake.calls('PATCH', new RegExp(`/channels/${bot.dm.id}/messages/${banner.id}`))).toHaveLength(
      1,
    )
    expect(bot.log).toEqual([])
  })

  it('what is asked twenty minutes before it can be done is done, and what is refused then is told all the same', async () => {
    const bot = await BotGround.open()
    const banner = await bot.forks()
    bot.writes('sleep 1')
    await bot.ground.held(1)
    bot.clicks(banner, 'Exit fork')
    bot.clicks(banner, 'Save context')
    bot.runs('fork', { topic: 'the next' })
    bot.runs('fork', { topic: 'one too many' })
    const store = await bot.ground.store()
    await bot.fake.until(
      'all to wait',
      async () => (await store.inbox.open(bot.ground.channelID)).length === 5,
    )
    bot.pass(20)
    bot.ground.release(1)
    await bot.hears('Discarded')
    await bot.hears(/“the next”/)
    await bot.hears('That fork is over: it was discarded.')
    await bot.hears('You are already in a fork.')
    await closed(bot, banner)
    expect((await bot.ground.openFork()).topic).toBe('the next')
  })
})

describe('a restart with an open fork', () => {
  it('finds it: its banner stays as it was, its buttons work, and messages go there', async () => {
    const bot = await BotGround.open()
    await bot.asks('main knows this', /“main knows this”/)
    const banner = await bot.forks('herons')
    await bot.hears(/“herons”/)
    const { sessionID } = await bot.ground.openFork()
    await bot.restart()
    expect((await bot.ground.openFork()).sessionID).toBe(sessionID)
    expect([liveButtons(banner), bot.said.filter((each) => wordsOf(each).startsWith('Forked'))]).toEqual([
      exits,
      [banner],
    ])
    await bot.asks('still here?', /“still here\?”/)
    expect(await bot.ground.prompts(sessionID)).toEqual(['main knows this', 'herons', 'still here?'])
    bot.clicks(banner, 'Save context')
    await bot.hears('Context saved')
    await closed(bot, banner)
    expect(await bot.ground.main()).toBe(sessionID)
  })

  it('does not stop what was said while nobody was there', async () => {
    const bot = await BotGround.open()
    const banner = await bot.forks()
    await bot.asks('before', /“before”/)
    await bot.stop()
    bot.writes('while you were away')
    await bot.comesBack()
    await bot.hears(/“while you were away”/)
    bot.clicks(banner, 'Report')
    await bot.hears('Summary reported')
    expect((await bot.ground.updates())[0]).toContain('while you were away')
  })
})

it('the banner of a fork that changed files has a button that puts them back', async () => {
  const bot = await BotGround.open()
  const at = join(bot.ground.directory, 'soup.txt')
  writeFileSync(at, 'water\n')
  const banner = await bot.forks('write soup.txt: leek')
  await bot.fake.until('the file', () => readFileSync(at, 'utf8') === 'leek\n')
  await bot.clicks(banner, 'Exit fork')
  const end = await bot.hears('It changed 1 file, which stays: soup.txt.')
  expect(liveButtons(end)).toEqual(['Put its files back'])
  await bot.clicks(end, 'Put its files back')
  await bot.fake.until('the file as it was', () => readFileSync(at, 'utf8') === 'water\n')
  await bot.fake.until('the button to be off', () => liveButtons(end).length === 0)
})
