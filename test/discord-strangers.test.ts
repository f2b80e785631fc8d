import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { embed } from '../src/forks/side/testing/ground.ts'
import { anyCharacter } from './support/any-character.ts'
import { BotGround } from './support/discord/bot-ground.ts'
import type { InteractionRecord } from './support/discord/interactions.ts'
import type { Message } from './support/discord/message.ts'
import { count, seed } from './support/size.ts'
import { StoreDigest } from './support/store-digest.ts'
import { until } from './support/until.ts'

/** A look at the store, for whether something has changed there. */
function look(bot: BotGround): () => Readonly<Record<string, string>> {
  const digest = StoreDigest.open(bot.ground.home.data)
  onTestFinished(() => digest.close())
  return () => digest.tables()
}

/** A bot with a fork open, and its banner. */
async function withFork() {
  const bot = await BotGround.open()
  const banner = await bot.forks('herons')
  await bot.hears('“herons”')
  await bot.ground.looked()
  return { bot, banner }
}

const answersOnlyOwner = 'This bot answers only its owner, and only in direct messages.'

/** Whether the one answer to an interaction was for the one who asked alone. */
async function refusedTo(bot: BotGround, record: InteractionRecord): Promise<void> {
  const callback = await bot.fake.untilCallback(record)
  expect(callback).toMatchObject({ type: 4, data: { content: answersOnlyOwner, flags: 64 } })
}

describe('a stranger', () => {
  it('writes to the bot: nothing is done, and it is logged', async () => {
    const bot = await BotGround.open()
    const { fake, log } = bot
    const now = look(bot)
    const before = now()
    const stranger = fake.createUser('mallory')
    const dm = fake.openDm(stranger)
    fake.userSends(dm, stranger, 'run rm -rf /')
    fake.userSends(dm, stranger, '', { forward: fake.userSends(dm, stranger, '/exit') })
    await until('the log', () => log.length === 3)
    expect(log).toEqual(Array(3).fill(`A message of mallory (${stranger.id}) was not answered.`))
    expect(fake.botMessages(dm.id)).toEqual([])
    expect(fake.typing).toEqual([])
    expect(now()).toEqual(before)
  })

  it('gives a command: they alone are told that it is not for them, and it is logged', async () => {
    const { bot } = await withFork()
    const { fake, log } = bot
    const now = look(bot)
    const before = now()
    const stranger = fake.createUser('mallory')
    const dm = fake.openDm(stranger)
    for (const { name } of fake.commands)
      await refusedTo(bot, fake.userRuns(dm, stranger, name, name === 'open' ? { session: 'x' } : {}))
    expect(log).toEqual(Array(fake.commands.length).fill(`mallory (${stranger.id}) was refused.`))
    expect(now()).toEqual(before)
    expect(await bot.ground.isForkOpen()).toBe(true)
  })

  it('clicks a button: they alone are told that it is not for them, and it is logged', async () => {
    const { bot, banner } = await withFork()
    const stranger = bot.fake.createUser('mallory')
    const now = look(bot)
    const before = now()
    for (const label of ['Save context', 'Report', 'Exit fork'])
      await refusedTo(bot, bot.fake.userClicks(banner, stranger, label))
    expect(bot.log).toEqual(Array(3).fill(`mallory (${stranger.id}) was refused.`))
    expect(now()).toEqual(before)
    expect(await bot.ground.isForkOpen()).toBe(true)
  })

  it('is not in what was missed', async () => {
    const bot = await BotGround.open()
    await bot.stop()
    // Nobody else is in the direct messages of the owner; Discord itself could say otherwise.
    bot.fake.userSends(bot.dm, bot.fake.createUser('mallory'), 'run rm -rf /')
    bot.writes('herons')
    await bot.comesBack()
    await bot.hears('“herons”')
    expect(await bot.told(1)).toEqual(['herons'])
  })
})

it('The owner is not answered in a guild, and it is logged', async () => {
  const guild = { id: '1200000000000000001', name: 'Wood' }
  const bot = await BotGround.open({ fake: { guilds: [guild] } })
  const now = look(bot)
  const before = now()
  bot.fake.userSendsInGuild(guild, bot.owner, 'run rm -rf /')
  await until('the log', () => bot.log.length > 0)
  expect(bot.log).toEqual([`A message of owner (${bot.owner.id}) was not answered.`])
  expect([bot.said, bot.fake.typing]).toEqual([[], []])
  expect(now()).toEqual(before)
})

it('The owner is not answered outside of direct messages', async () => {
  const { bot, banner } = await withFork()
  const inGuild = (payload: object) => {
    const member = { user: bot.owner, roles: [], permissions: '0', joined_at: new Date(0).toISOString() }
    Object.assign(payload, { guild_id: bot.fake.bot.id, member, context: 0 })
  }
  await refusedTo(bot, bot.fake.userRuns(bot.dm, bot.owner, 'exit', {}, inGuild))
  await refusedTo(bot, bot.fake.userClicks(banner, bot.owner, 'Exit fork', inGuild))
  expect(bot.log).toEqual(Array(2).fill(`owner (${bot.owner.id}) was refused.`))
  expect(await bot.ground.isForkOpen()).toBe(true)
})

/** A click with an id that was made up; resolves with what the clicker was told. */
async function forge(bot: BotGround, message: Message, customID: string): Promise<string> {
  const record = bot.fake.userForges(bot.dm, bot.owner, customID, message)
  return bot.fake.until(`an answer to ${customID}`, () => {
    const told = bot.fake.channelMessages(bot.dm.id).find(({ id }) => record.followups.includes(id))
    if (told) expect(told.flags).toBe(64)
    return told?.content
  })
}

describe('an id that was made up', () => {
  it('does nothing, whatever it looks like, and only the clicker is told', async () => {
    const { bot, banner } = await withFork()
    const { sessionID: forkID } = await bot.ground.openFork()
    const now = look(bot)
    const before = now()
    const shown = structuredClone(bot.said)
    const kind = fc.constantFrom('exit', 'ask', 'answer', 'over', 'EXIT', '', '__proto__', 'constructor')
    const how = fc.constantFrom('discard', 'save', 'once', 'deny', '', 'toString', '*', 'discard ')
    const subject = fc.oneof(
      fc.constantFrom(`${forkID}:`, `${forkID} `, forkID.slice(0, -1), forkID.toUpperCase(), 'ses_'),
      fc.constantFrom('ses_*', "ses_' OR 1=1 --", 'ses_../../x', 'ses_%', 'per_', 'inq_%00', '\u202e'),
      fc.string({ unit: anyCharacter, maxLength: 60 }),
    )
    const ids = fc.oneof(
      fc.tuple(kind, how, subject).map((parts) => parts.join(':').slice(0, 100)),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 }),
    )
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        expect(await forge(bot, banner, id)).not.toBe('')
      }),
      { seed: seed(), numRuns: count(500, 25) },
    )
    expect(now()).toEqual(before)
    expect(bot.said).toEqual(shown)
    expect(bot.log).toEqual([])
  })

  it('of a thing of another kind does nothing', async () => {
    const { bot, banner } = await withFork()
    const main = await bot.ground.main()
    const now = look(bot)
    const before = now()
    const [message] = await bot.ground.messages((await bot.ground.openFork()).sessionID)
    for (const subject of [main, bot.ground.channelID, message?.id])
      for (const start of ['exit:discard', 'exit:save', 'ask:', 'answer:once', 'answer:session'])
        await forge(bot, banner, `${start}:${subject}`)
    expect(now()).toEqual(before)
    expect(await bot.ground.isForkOpen()).toBe(true)
  })

  it('of what belongs to another channel does nothing there', async () => {
    const { bot, banner } = await withFork()
    const { bough } = bot.ground
    const store = await bot.ground.store()
    const other = await bough.openChannel({ frontEnd: 'test', key: 'chat' })
    await bough.say(other.id, { kind: 'message', text: embed('Count them.') })
    const [sent] = await store.outbox.open(other.id)
    const inquiryID = sent?.what.kind === 'embed' ? sent.what.buttons[0]?.inquiryID : null
    await bough.say(other.id, { kind: 'fork' })
    const { openForkID } = await bough.channel(other.id)
    const asking = bough.say(other.id, { kind: 'message', text: 'run echo herons' })
    const [permission] = await until('a permission', async () => {
      const asked = await bough.permissions()
      return asked.length > 0 && asked
    })
    const now = look(bot)
    const before = now()
    const shown = structuredClone(bot.said)

    for (const action of ['save', 'report', 'discard'])
      expect(await forge(bot, banner, `exit:${action}:${openForkID}`)).not.toBe('')
    expect(await forge(bot, banner, `ask::${inquiryID}`)).not.toBe('')
    for (const answer of ['once', 'session', 'always', 'every', 'deny'])
      expect(await forge(bot, banner, `answer:${answer}:${permission?.id}`)).not.toBe('')

    expect(now()).toEqual(before)
    expect(bot.said).toEqual(shown)
    await bough.answer(permission?.id ?? 'per_', { allow: false })
    await asking
  })
})
