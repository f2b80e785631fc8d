import { describe, expect, it } from 'vitest'
import { Bot } from '../src/discord/bot.ts'
import { BotGround } from './support/discord/bot-ground.ts'
import { answersAll, noMarks } from './support/discord/screen.ts'
import { until } from './support/until.ts'

/** Writes something while something is wrong, and then some more. */
async function goesOn(bot: BotGround, breaks: () => Promise<void> | void, mends = () => {}): Promise<void> {
  const { fake } = bot
  const written = ['before']
  const writes = (text: string) => {
    bot.writes(text)
    written.push(text)
  }
  bot.writes('before')
  await answersAll(bot, written)
  const connections = bot.connections
  writes('sleep 1\nstill running')
  await bot.ground.held(1)
  writes('just before')
  await breaks()
  for (const text of ['while', 'it', 'is', 'away']) writes(text)
  bot.ground.release(1)
  mends()
  writes('at once')
  await until('the bot to be back', () => bot.connections > connections && fake.connected === 1)
  writes('afterwards')
  await answersAll(bot, written)
  await noMarks(bot)
}

it('a bot that is closed leaves Discord, also where bough cannot be closed', async () => {
  const bot = await BotGround.open({ isAway: true })
  const full = new Error('The disk is full.')
  const close = async () => {
    throw full
  }
  const unclosable = await Bot.open(
    { ...bot.ground.bough, close },
    { ...bot.account, beginning: { directory: bot.ground.directory }, log: () => {} },
  )
  expect(bot.fake.connected).toBe(1)
  await expect(unclosable.close()).rejects.toBe(full)
  await until('it to have left', () => bot.fake.connected === 0)
})

describe('the owner’s messages are answered once, and in their order', () => {
  it('when the connection is cut', async () => {
    const bot = await BotGround.open()
    await goesOn(bot, () => bot.fake.dropSockets())
    expect(bot.resumptions).toBe(1)
  })

  it('when Discord asks to connect anew', async () => {
    const bot = await BotGround.open()
    await goesOn(bot, () => bot.fake.sendReconnect())
    expect(bot.resumptions).toBe(1)
  })

  it('when Discord forgets the session, and says so', async () => {
    const bot = await BotGround.open()
    await goesOn(bot, () => bot.fake.sendInvalidSession(false))
  })

  it('when Discord wants it taken up anew', async () => {
    const bot = await BotGround.open()
    await goesOn(bot, () => bot.fake.sendInvalidSession(true))
    expect(bot.resumptions).toBe(1)
  })

  it('when Discord forgets the session, and it is found out later', async () => {
    const bot = await BotGround.open()
    await goesOn(bot, () => {
      bot.fake.invalidateSessions()
      bot.fake.dropSockets()
    })
  })

  it('when Discord takes no connections for a while', async () => {
    const bot = await BotGround.open()
    const { fake } = bot
    await goesOn(
      bot,
      async () => {
        fake.acceptConnections = false
        fake.dropSockets()
        await until('two refusals', () => fake.gatewayLog.filter(({ dir }) => dir === 'refused').length > 1)
      },
      () => {
        fake.acceptConnections = true
      },
    )
  })

  it('when Discord does not answer heartbeats any more', async () => {
    const bot = await BotGround.open({ fake: { heartbeatIntervalMs: 300 } })
    const { fake } = bot
    await goesOn(
      bot,
      async () => {
        fake.ackHeartbeats = false
        await until('the bot to give it up', () => fake.connected === 0)
      },
      () => {
        fake.ackHeartbeats = true
      },
    )
  })

  it('when they are told twice, the second time when the first of them runs', async () => {
    const bot = await BotGround.open()
    const { fake, ground } = bot
    const gone = bot.writes('gone')
    await answersAll(bot, ['gone'])
    fake.userDeletes(gone)
    fake.invalidateSessions()
    fake.dropSockets()
    // What was missed is known late, and what is replied to even later.
    fake.faults.push({ method: 'GET', path: /\/messages$/, delayMs: 500 })
    fake.faults.push({ method: 'GET', path: /\/messages\/\d+$/, delayMs: 1_500 })
    const { connections } = bot
    await until('the bot to be back', () => bot.connections > connections)
    bot.writes('sleep 1')
    bot.writes('herons', { replyTo: gone })
    bot.writes('storks')
    await ground.held(1)
    await until('signs on what waits', () => bot.marked.length >= 2)
    bot.writes('the last')
    await until('a sign on the last', () => bot.marked.length >= 3)
    ground.release(1)
    await answersAll(bot, ['gone', 'sleep 1', 'herons', 'storks', 'the last'])
    await noMarks(bot)
  })

  it('when one replies to a message that is gone, and it takes a while to find that out', async () => {
    const bot = await BotGround.open()
    const { fake } = bot
    const gone = bot.writes('gone')
    await answersAll(bot, ['gone'])
    fake.userDeletes(gone)
    fake.faults.push({ method: 'GET', path: /\/messages\/\d+$/, delayMs: 500 })
    bot.writes('first', { replyTo: gone })
    bot.writes('second')
    await answersAll(bot, ['gone', 'first', 'second'])
  })

  it('when a command comes before them, and Discord is slow to note it', async () => {
    const bot = await BotGround.open()
    const { fake, ground } = bot
    await bot.asks('to main', /to main/)
    fake.faults.push({ method: 'POST', path: /\/callback$/, delayMs: 500 })
    bot.runs('fork')
    bot.writes('in the fork')
    await bot.hears('in the fork')
    expect(await ground.prompts(await ground.main())).toEqual(['to main'])
    expect(await ground.prompts((await ground.openFork()).sessionID)).toEqual(['to main', 'in the fork'])
  })

  it('when Discord is gone altogether, and comes back', async () => {
    const bot = await BotGround.open()
    const { fake } = bot
    await goesOn(bot, async () => {
      await fake.stop()
      await fake.start()
    })
  })
})
