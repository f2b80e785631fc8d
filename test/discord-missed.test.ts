import { describe, expect, it } from 'vitest'
import { BotGround } from './support/discord/bot-ground.ts'
import { count } from './support/size.ts'
import { until } from './support/until.ts'

const numbered = (n: number): readonly string[] => Array.from({ length: n }, (_, i) => `heron ${i}`)

/** A bot that has not come yet, where bough and Discord agree what time it is. */
async function away(): Promise<BotGround> {
  const bot = await BotGround.open({ isAway: true })
  bot.ground.time.now = Date.now()
  return bot
}

/** Waits until it is a millisecond later at Discord: its ids are no finer than that. */
const later = async (): Promise<void> => {
  const now = Date.now()
  await until('a millisecond to pass', () => Date.now() > now + 1)
}

describe('the first start', () => {
  it('handles what was written after the channel was made, and nothing older', async () => {
    const bot = await away()
    bot.writes('long ago')
    await later()
    const { id: mainID } = await bot.ground.bough.create({ directory: bot.ground.directory, title: 'Main' })
    bot.ground.time.now = Date.now()
    await bot.ground.bough.openChannel({ frontEnd: 'discord', key: bot.owner.id, mainID })
    await later()
    bot.writes('meanwhile')
    await bot.start()
    await bot.hears('“meanwhile”')
    await bot.asks('now', '“now”')
    expect(await bot.told(2)).toEqual(['meanwhile', 'now'])
  })

  it('where the channel is made by the bot itself handles nothing that was there before', async () => {
    const bot = await away()
    bot.writes('long ago')
    await later()
    bot.ground.time.now = Date.now()
    await bot.start()
    await bot.asks('now', '“now”')
    expect(await bot.told(1)).toEqual(['now'])
  })
})

describe('what was written while the bot was away', () => {
  it('is handled once, in order, when it comes back', async () => {
    const bot = await BotGround.open()
    await bot.asks('before', '“before”')
    await bot.stop()
    const words = numbered(4)
    for (const each of words) bot.writes(each)
    await bot.comesBack()
    await bot.hears('“heron 3”')
    await bot.restart()
    expect(await bot.told(5)).toEqual(['before', ...words])
    await until('no mark', () => bot.marked.length === 0)
  })

  it('is read in pages: more than 100 messages, among them those of the bot', async () => {
    const bot = await BotGround.open()
    await bot.forks()
    await bot.stop()
    const words = ['sleep 1', ...numbered(count(250, 120))]
    for (const each of words) bot.writes(each)
    const asked = bot.fake.calls('GET', /messages$/).length
    await bot.comesBack()
    await bot.ground.held(1)
    const store = await bot.ground.store()
    const waiting = await until('all of them to be taken', async () => {
      const open = await store.inbox.open(bot.ground.channelID)
      return open.length === words.length && open
    })
    expect(waiting.map(({ what }) => what.kind === 'message' && what.text)).toEqual(words)
    const pages = bot.fake.calls('GET', /messages$/).slice(asked)
    expect(pages.filter(({ query }) => query.includes('after='))).toHaveLength(Math.ceil(words.length / 100))
  })

  it('keeps what it is: a reply, a forward, a file', async () => {
    const bot = await BotGround.open()
    const answer = await bot.asks('herons', '“herons”')
    await bot.stop()
    bot.writes('', { forward: answer })
    bot.writes('why?', { replyTo: answer })
    await bot.comesBack()
    await bot.hears('“why?”')
    const [, forwarded, reply] = await bot.told(3)
    expect(forwarded).toMatch(/^Forwarded message:\n> /)
    expect(reply).toBe('why?')
    expect(await bot.ground.contextOfLast(await bot.ground.main())).toContain(
      'The person replies to this message:',
    )
  })

  it('and before it: what waited when it went is done when it comes back, and loses its mark', async () => {
    const bot = await BotGround.open()
    bot.writes('sleep 1')
    await bot.ground.held(1)
    bot.writes('storks')
    await until('a mark', () => bot.marked.includes('storks'))
    await bot.stop()
    expect(bot.marked).toEqual(['storks'])
    bot.writes('egrets')
    await bot.comesBack()
    await bot.hears('“egrets”')
    await until('no mark', () => bot.marked.length === 0)
    expect(await bot.told(3)).toEqual(['sleep 1', 'storks', 'egrets'])
  })
})

it('The last message that was handled is kept', async () => {
  const bot = await BotGround.open()
  expect((await bot.ground.channel()).lastHeard).toBeNull()
  const { id } = bot.writes('herons')
  await bot.hears('“herons”')
  expect((await bot.ground.channel()).lastHeard).toBe(id)
  await bot.restart()
  await until('it to ask what was missed', () =>
    bot.fake.calls('GET', /messages$/).some(({ query }) => query.includes(`after=${id}`)),
  )
})
