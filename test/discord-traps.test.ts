import { GatewayIntentBits, GatewayOpcodes } from 'discord.js'
import { expect, it } from 'vitest'
import { BotGround } from './support/discord/bot-ground.ts'
import { SpokenAgent } from './support/spoken-agent.ts'
import { until } from './support/until.ts'

// Each of these was seen to go wrong with discord.js, or Discord, in one way or another.

it('Trap: direct messages come without an intent for their content, and no other intent is asked for', async () => {
  const bot = await BotGround.open({ fake: { allowedPrivilegedIntents: 0 } })
  const identify = bot.fake.gatewayLog.find(({ op }) => op === GatewayOpcodes.Identify)
  expect(identify?.info).toMatchObject({ intents: GatewayIntentBits.DirectMessages })
  await bot.asks('herons', '“herons”')
})

it('Trap: without Partials.Channel, direct messages in a channel that is not known yet are dropped silently', async () => {
  const bot = await BotGround.open()
  const stranger = bot.fake.createUser('mallory')
  bot.fake.userSends(bot.fake.openDm(stranger), stranger, 'hello')
  await until('the log', () => bot.log.length > 0)
  expect(bot.log).toEqual([`A message of mallory (${stranger.id}) was not answered.`])
})

it('Trap: an error while something is handled is logged, and the bot goes on', async () => {
  const bot = await BotGround.open()
  const unknown = { status: 404, body: { code: 10_062, message: 'Unknown interaction' } }
  bot.fake.faults.push({ method: 'POST', path: /callback$/, ...unknown })
  bot.runs('fork')
  await until('the log', () => bot.log.length > 0)
  expect(bot.log).toEqual(['Unknown interaction'])
  expect(await bot.ground.isForkOpen()).toBe(false)
  await bot.forks('herons')
  await bot.hears('“herons”')
})

it('Trap: an error in a handler of events ends the process unless somebody listens for it: it is logged', async () => {
  const bot = await BotGround.open()
  const unknown = { status: 404, body: { code: 10_062, message: 'Unknown interaction' } }
  bot.fake.faults.push({ method: 'POST', path: /callback$/, ...unknown })
  const stranger = bot.fake.createUser('mallory')
  bot.fake.userRuns(bot.fake.openDm(stranger), stranger, 'fork')
  await until('the log', () => bot.log.length > 1)
  expect(bot.log).toEqual([`mallory (${stranger.id}) was refused.`, 'Unknown interaction'])
  await bot.asks('herons', '“herons”')
})

it('Trap: many edits without a pause lag behind by seconds: here the end of a reply is shown right after it', async () => {
  const agent = new SpokenAgent()
  const bot = await BotGround.open({ ground: { drivers: [agent.driver] } })
  bot.writes('speak')
  for (let i = 0; i < 300; i++) {
    agent.says(`word${i} `)
    if (i % 25 === 0) await until('some of it', () => bot.words.some((text) => text.includes(`word${i} `)))
  }
  const edited = bot.fake.calls('PATCH', /messages/).length
  agent.stops()
  await until('the end', () => bot.words.at(-1)?.includes('word299') && !bot.words.at(-1)?.includes('…'))
  expect(bot.fake.calls('PATCH', /messages/).length - edited).toBeLessThanOrEqual(3)
})

it('Trap: a reply to a message that was deleted meanwhile fails at Discord: answers are no replies', async () => {
  const bot = await BotGround.open()
  const message = bot.writes('sleep 1')
  await bot.ground.held(1)
  bot.fake.userDeletes(message)
  bot.ground.release(1)
  const answer = await bot.hears('sleep 1: done')
  expect(answer.message_reference).toBeUndefined()
  expect(bot.log).toEqual([])
})

it('Trap: a mark on a message that was deleted while it waited is nothing to fail for', async () => {
  const bot = await BotGround.open()
  bot.writes('sleep 1')
  await bot.ground.held(1)
  const waiting = bot.writes('herons')
  await until('a mark', () => bot.marked.length === 1)
  bot.fake.userDeletes(waiting)
  bot.ground.release(1)
  await bot.hears('“herons”')
  expect(bot.log).toEqual([])
})
