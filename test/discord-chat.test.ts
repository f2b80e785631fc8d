import { MessageType } from 'discord.js'
import { describe, expect, it } from 'vitest'
import { BotGround, wordsOf } from './support/discord/bot-ground.ts'
import { SpokenAgent } from './support/spoken-agent.ts'
import { until } from './support/until.ts'

describe('a message', () => {
  it('goes to main, and the reply is streamed', async () => {
    const bot = await BotGround.open()
    await bot.asks('herons', /This is turn 1 .*“herons”/)
    expect(await bot.toldMain()).toEqual(['herons'])
  })

  it('goes to the open fork, and to main again when that has ended', async () => {
    const bot = await BotGround.open()
    await bot.asks('herons', 'You just told me: “herons”')
    await bot.forks()
    const { sessionID } = await bot.ground.openFork()
    await bot.asks('storks', 'You just told me: “storks”')
    bot.runs('exit')
    await bot.hears('Fork ended')
    await bot.asks('egrets', 'You just told me: “egrets”')
    expect(await bot.ground.prompts(sessionID)).toEqual(['herons', 'storks'])
    expect(await bot.toldMain()).toEqual(['herons', 'egrets'])
  })

  it('waits while a turn runs, with a mark that goes away when its own turn begins, and order is kept', async () => {
    const bot = await BotGround.open()
    bot.writes('sleep 1')
    await bot.ground.held(1)
    bot.writes('sleep 2')
    bot.writes('storks')
    await until('two marks', () => bot.marked.length === 2)
    expect(bot.marked).toEqual(['sleep 2', 'storks'])
    expect(bot.fake.reactions.every(({ emoji }) => emoji === '⏳')).toBe(true)

    bot.ground.release(1)
    await bot.ground.held(2)
    await until('one mark', () => bot.marked.length === 1)
    expect(bot.marked).toEqual(['storks'])

    bot.ground.release(2)
    await bot.hears('You just told me: “storks”')
    await until('no mark', () => bot.marked.length === 0)
    expect(await bot.toldMain()).toEqual(['sleep 1', 'sleep 2', 'storks'])
  })

  it('that nobody has to wait for has no mark', async () => {
    const bot = await BotGround.open()
    await bot.asks('herons', '“herons”')
    expect(bot.fake.reactions).toEqual([])
  })

  it('that comes while the bot starts is handled once, and no mark stays on it', async () => {
    const bot = await BotGround.open({ isAway: true })
    bot.fake.faults.push({ method: 'GET', path: /messages$/, delayMs: 100 })
    const started = bot.start()
    await until('the bot to look around', () => bot.fake.faults.length === 0)
    // The gateway tells of them, and they are found when it is asked what was missed.
    const words = ['sleep 1', ...Array.from({ length: 8 }, (_, i) => `heron ${i}`)]
    for (const each of words) bot.writes(each)
    await started
    await bot.ground.held(1)
    await until('marks', () => bot.marked.length === 8)
    expect(bot.marked).toEqual(words.slice(1))
    bot.ground.release(1)
    await bot.hears('“heron 7”')
    await until('no mark', () => bot.marked.length === 0)
    expect(await bot.told(9)).toEqual(words)
  })

  it('of the bot itself comes back and is not taken for one of the owner', async () => {
    const bot = await BotGround.open()
    await bot.asks('herons', '“herons”')
    await bot.forks()
    expect(await bot.told(1)).toEqual(['herons'])
    expect(bot.log).toEqual([])
  })

  it('that is one of Discord itself, about a pin or a call, is nothing that anybody said', async () => {
    const bot = await BotGround.open()
    const kinds = [MessageType.ChannelPinnedMessage, MessageType.Call, MessageType.UserJoin]
    for (const type of kinds) bot.writes('', { type })
    await bot.asks('herons', '“herons”')
    await bot.restart()
    expect(await bot.told(1)).toEqual(['herons'])
  })
})

describe('a turn', () => {
  it('shows that the agent types as long as it works', async () => {
    const bot = await BotGround.open({ pace: { typing: 20 } })
    bot.writes('sleep 1')
    await bot.ground.held(1)
    const before = bot.fake.typing.length
    await until('more typing', () => bot.fake.typing.length > before + 2)
    bot.ground.release(1)
    await bot.hears('sleep 1: done')
    await bot.told(1)
    const after = bot.fake.typing.length
    bot.runs('sessions')
    await bot.hears('Discord')
    // One sign may have been on its way.
    expect(bot.fake.typing.length - after).toBeLessThanOrEqual(1)
  })

  it('that fails says so, after what was said', async () => {
    const bot = await BotGround.open()
    const answer = await bot.asks('words 3\nfail out of luck', 'The turn failed')
    expect(answer.content).toMatch(/^\S+ \S+ \S+.*\n-# The turn failed: .*out of luck/s)
  })

  it('that is interrupted says so, after what was said', async () => {
    const bot = await BotGround.open()
    bot.writes('words 3\nsleep 1')
    await bot.ground.held(1)
    bot.runs('interrupt')
    const answer = await bot.hears('The turn was interrupted')
    expect(answer.content).toMatch(/^\S+ \S+ \S+\n\n-# The turn was interrupted/)
    await bot.asks('herons', '“herons”')
  })

  it('without words says that it is done', async () => {
    const agent = new SpokenAgent()
    const bot = await BotGround.open({ ground: { drivers: [agent.driver] } })
    agent.stops()
    await bot.asks('herons', 'Done, without words.')
    agent.says(' \n\u200b\n ')
    agent.stops()
    bot.writes('storks')
    await until('the second answer', () => bot.said.length === 2)
    expect(wordsOf(bot.said[1] ?? bot.said[0] ?? expect.fail())).toBe('-# Done, without words.')
  })
})
