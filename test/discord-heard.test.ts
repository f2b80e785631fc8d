import { describe, expect, it } from 'vitest'
import { BotGround } from './support/discord/bot-ground.ts'
import { SpokenAgent } from './support/spoken-agent.ts'
import { until } from './support/until.ts'

// What the agent is told of a message besides its words.

describe('a reply', () => {
  it('quotes what it replies to, without asking Discord for it', async () => {
    const bot = await BotGround.open()
    const answer = await bot.asks('herons', '“herons”')
    await bot.asks('why?', '“why?”', { replyTo: answer })
    expect(await bot.ground.contextOfLast(await bot.ground.main())).toContain('You just told me: “herons”')
    expect(bot.fake.calls('GET', /messages\/\d+$/)).toEqual([])
  })

  it('to a card quotes what stands on it', async () => {
    const bot = await BotGround.open()
    const banner = await bot.forks('storks')
    await bot.hears('“storks”')
    await bot.asks('which?', '“which?”', { replyTo: banner })
    const { sessionID } = await bot.ground.openFork()
    expect(await bot.ground.contextOfLast(sessionID)).toMatch(/Forked session\s.*storks/)
  })

  it('to a message that is gone is answered all the same, and says that it is gone', async () => {
    const bot = await BotGround.open()
    const gone = bot.writes('herons')
    await bot.hears('“herons”')
    bot.fake.userDeletes(gone)
    await bot.asks('and now?', '“and now?”', { replyTo: gone })
    expect(await bot.ground.contextOfLast(await bot.ground.main())).toContain('(that message is gone)')
    expect(bot.log).toEqual([])
  })

  it('to what is still being written quotes what was said so far, without the sign that more comes', async () => {
    const agent = new SpokenAgent()
    const bot = await BotGround.open({ ground: { drivers: [agent.driver] } })
    bot.writes('speak')
    agent.says('There are herons')
    const answer = await bot.fake.until('the first words', () =>
      bot.said.find(({ content }) => content.endsWith('-# writing …')),
    )
    bot.writes('where?', { replyTo: answer })
    await until('it to wait', () => bot.marked.length > 0)
    agent.stops()
    agent.stops()
    await bot.told(2)
    const context = await bot.ground.contextOfLast(await bot.ground.main())
    expect(context).toContain('> There are herons')
    expect(context).not.toContain('writing …')
  })

  it('that takes long to read keeps its place before what came after it', async () => {
    const bot = await BotGround.open()
    const gone = bot.writes('herons')
    await bot.hears('“herons”')
    bot.fake.userDeletes(gone)
    bot.fake.faults.push({ method: 'GET', path: /messages\/\d+$/, delayMs: 200 })
    bot.writes('first', { replyTo: gone })
    bot.writes('second')
    await bot.hears('“second”')
    expect(await bot.told(3)).toEqual(['herons', 'first', 'second'])
  })
})

describe('a forward', () => {
  it('is quoted, and is not taken for a reply', async () => {
    const bot = await BotGround.open()
    const answer = await bot.asks('herons', '“herons”')
    bot.writes('', { forward: { ...answer, content: 'two\nlines' } })
    expect(await bot.told(2)).toEqual(['herons', 'Forwarded message:\n> two\n> lines'])
    expect(await bot.ground.contextOfLast(await bot.ground.main())).not.toContain('repl')
  })

  it('of a card or a file without words says that it has none', async () => {
    const bot = await BotGround.open()
    const file = bot.writes('', { attachments: [{ filename: 'heron.txt', content: 'grey' }] })
    await bot.told(1)
    bot.writes('', { forward: file })
    const [, forwarded] = await bot.told(2)
    expect(forwarded).toContain('Forwarded message:')
    expect(forwarded).toContain(`(file: heron.txt, ${file.attachments[0]?.url})`)
  })
})

describe('a message', () => {
  it('names its files and where they are, after its words', async () => {
    const bot = await BotGround.open()
    const sent = bot.writes('look', {
      attachments: [
        { filename: 'heron.txt', content: 'grey' },
        { filename: 'stork.txt', content: 'white' },
      ],
    })
    const [told] = await bot.told(1)
    const [heron, stork] = sent.attachments
    expect(told).toBe(`look\n\n(file: heron.txt, ${heron?.url})\n(file: stork.txt, ${stork?.url})`)
    expect(await (await fetch(stork?.url ?? '')).text()).toBe('white')
  })

  it('without words is a message all the same', async () => {
    const bot = await BotGround.open()
    bot.writes('')
    expect(await bot.told(1)).toEqual(['(a message without words)'])
  })

  it('of any content arrives as it is', async () => {
    const bot = await BotGround.open()
    const words = [
      '/exit',
      '@everyone <@1> `x`',
      '🙂\u202e\u0007',
      '  indented\n\n\nmore  ',
      'x'.repeat(4000),
    ]
    for (const each of words) bot.writes(each)
    expect(await bot.told(words.length)).toEqual(words)
  })

  it('is heard also where Discord does not say what kind of channel it is in', async () => {
    const bot = await BotGround.open()
    await bot.asks('herons', '“herons”', { omitChannelType: true })
  })
})

it('Commands and messages are done in the order in which they came', async () => {
  const bot = await BotGround.open()
  await bot.asks('herons', '“herons”')
  bot.fake.faults.push({ method: 'POST', path: /callback$/, delayMs: 150, after: true })
  bot.runs('fork')
  bot.writes('storks')
  await bot.hears('“storks”')
  const { sessionID } = await bot.ground.openFork()
  expect(await bot.ground.prompts(sessionID)).toEqual(['herons', 'storks'])
  expect(await bot.toldMain()).toEqual(['herons'])
})
