import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { longestMessage, split } from '../src/discord/stream/split.ts'
import { storable } from '../src/tree/text.ts'
import { anyCharacter } from './support/any-character.ts'
import { codeIn, proseOf } from './support/discord/as-read.ts'
import { BotGround, type BotGroundOptions } from './support/discord/bot-ground.ts'
import type { RequestLog } from './support/discord/rest-api.ts'
import { count, seed } from './support/size.ts'
import { SpokenAgent } from './support/spoken-agent.ts'
import { until } from './support/until.ts'

/** A bot whose agent says what the test says. */
async function speaking(options: BotGroundOptions = {}) {
  const agent = new SpokenAgent()
  const bot = await BotGround.open({ ...options, ground: { drivers: [agent.driver] } })
  const contents = () => bot.said.map(({ content }) => content)
  /** Whether there is no sign any more that something comes. */
  const isWhole = () => contents().length > 0 && !contents().some((text) => /^-# .* …$/m.test(text))
  return { agent, bot, contents, isWhole }
}

/** Sends and edits of messages. */
const writings = ({ fake }: BotGround): readonly RequestLog[] =>
  fake.requests.filter(({ method, path }) => /^(POST|PATCH)$/.test(method) && /messages(\/\d+)?$/.test(path))

const lines = (n: number): string => Array.from({ length: n }, (_, i) => `line ${i} of many`).join('\n')

describe('a reply', () => {
  it('is shown as it grows, with a sign that more comes, and in the end without', async () => {
    const { agent, bot, contents, isWhole } = await speaking()
    bot.writes('speak')
    agent.says('There are herons')
    await until('the first words', () => contents()[0] === 'There are herons\n-# writing …')
    agent.says(' and storks.')
    await until('more words', () => contents()[0] === 'There are herons and storks.\n-# writing …')
    agent.stops()
    await until('all words', isWhole)
    expect(contents()).toEqual(['There are herons and storks.'])
  })

  it('that is long is split at line ends, with code fences closed and opened again', async () => {
    const { agent, bot, contents, isWhole } = await speaking()
    const code = `before\n\`\`\`ts\n${lines(300)}\n\`\`\`\nafter`
    agent.says(code)
    agent.stops()
    bot.writes('speak')
    await until('all words', () => isWhole() && contents().at(-1)?.endsWith('after'))
    expect(contents()).toEqual(split(code))
    expect(contents().length).toBeGreaterThan(2)
    for (const text of contents()) {
      expect(text.length).toBeLessThanOrEqual(longestMessage)
      expect(text.match(/^```/gm)?.length).toBe(2)
    }
    for (const text of contents().slice(1, -1)) expect(text).toMatch(/^```ts\nline \d+ of many\n.*\n```$/s)
  })

  it('is edited no more often than the pace, and always a last time', async () => {
    const pace = { edits: 60 }
    const { agent, bot, contents, isWhole } = await speaking({ pace })
    bot.writes('speak')
    for (let i = 0; i < 40; i++) {
      agent.says(`${i} `)
      if (i % 10 === 0) await until('it to be shown', () => contents()[0]?.includes(`${i} `))
    }
    agent.stops()
    await until('all words', isWhole)
    expect(contents()[0]).toMatch(/^0 1 2 .* 38 39 ?$/)
    const times = writings(bot).map(({ at }) => at)
    expect(times.length).toBeLessThan(20)
    // A timer may be a millisecond early.
    for (const [i, at] of times.slice(1).entries())
      expect(at - (times[i] ?? 0)).toBeGreaterThanOrEqual(pace.edits - 1)
  })

  it('has one edit in flight, and the next one has the newest text', async () => {
    const { agent, bot, contents, isWhole } = await speaking()
    const slow = 250
    bot.writes('speak')
    agent.says('one')
    await until('the first words', () => contents()[0]?.startsWith('one'))
    bot.fake.faults.push({ method: 'PATCH', delayMs: slow })
    agent.says(' two')
    await until('a slow edit', () => bot.fake.faults.length === 0)
    for (const word of [' three', ' four', ' five']) agent.says(word)
    agent.stops()
    await until('all words', () => isWhole() && contents()[0] === 'one two three four five')
    const [, slowEdit, next, ...more] = writings(bot)
    expect(slowEdit?.body).toMatchObject({ content: 'one two\n-# writing …' })
    expect((next?.at ?? 0) - (slowEdit?.at ?? 0)).toBeGreaterThanOrEqual(slow)
    expect(next?.body).toMatchObject({ content: expect.stringMatching(/^one two three four five/) })
    expect(more.length).toBeLessThanOrEqual(1)
  })

  it('that does not change is not edited', async () => {
    const { agent, bot, contents, isWhole } = await speaking({ pace: { edits: 1, typing: 5 } })
    bot.writes('speak')
    agent.says('one')
    await until('the first words', () => contents()[0]?.startsWith('one'))
    const typed = bot.fake.typing.length
    await until('a while', () => bot.fake.typing.length > typed + 3)
    agent.stops()
    await until('all words', isWhole)
    expect(writings(bot)).toHaveLength(2)
  })

  it.each(['```', '  ```'])(
    'that is stopped in a block of code (%j) says so under it, not in it',
    async (fence) => {
      const { agent, bot, contents, isWhole } = await speaking()
      bot.writes('speak')
      agent.says(`see\n${fence}ts\nconst a = 1`)
      await until('the first words', () => contents()[0]?.includes('const a = 1'))
      bot.runs('interrupt')
      await until('all words', isWhole)
      const [first = ''] = contents()
      expect(proseOf(first)).toMatch(/^see\n *\n\n-# The turn was interrupted: You stopped it\.$/)
      expect(codeIn(first)).toEqual(['const a = 1'])
    },
  )

  it('shows all that the agent says in its turn, in as few messages as it takes', async () => {
    const bot = await BotGround.open()
    bot.writes(`words 500\nsleep 1`)
    await bot.ground.held(1)
    await until('two messages', () => bot.said.length >= 2)
    bot.ground.release(1)
    await bot.hears('sleep 1: done')
    await bot.told(1)
    const main = await bot.ground.messages(await bot.ground.main())
    const said = main.filter(({ role }) => role === 'assistant').map(({ text }) => text)
    expect(bot.words).toEqual(split(said.join('\n\n')))
  })
})

const anyBody = z.looseObject({ allowed_mentions: z.unknown() })

it('Nobody is pinged by what an agent says, whichever way it comes', async () => {
  const { agent, bot, contents, isWhole } = await speaking()
  bot.writes('speak')
  agent.says(`@everyone @here <@${bot.owner.id}> <@&1>`)
  await until('the first words', () => contents().length > 0)
  agent.says(' again')
  agent.stops()
  await until('all words', isWhole)
  expect(contents()).toEqual([`@everyone @here <@${bot.owner.id}> <@&1> again`])
  const banner = await bot.forks()
  bot.runs('tree')
  await bot.hears('● ')
  bot.clicks(banner, 'Exit fork')
  await bot.hears('Fork ended')
  bot.runs('interrupt')
  await bot.whispers('No turn is running.')
  const texts = bot.fake.requests.filter(
    ({ method, path }) =>
      /^(POST|PATCH)$/.test(method) && /messages(\/(\d+|@original))?$|^\/webhooks/.test(path),
  )
  expect(texts.length).toBeGreaterThan(6)
  for (const { body } of texts) expect(anyBody.parse(body).allowed_mentions).toEqual({ parse: [] })
})

it('Text of any length and content arrives whole, in order, within the limits', async () => {
  const { agent, bot, contents, isWhole } = await speaking({ pace: { edits: 5 } })
  const line = fc.oneof(
    fc.constantFrom('```', '```ts', '~~~', '', '   ', '    ```', '@everyone', '-# small', '> quoted'),
    fc.string({ unit: anyCharacter, maxLength: 900 }),
    fc.string({ unit: 'grapheme', maxLength: 90 }),
    fc.nat(3000).map((n) => '🙂'.repeat(n)),
  )
  const texts = fc.array(fc.array(line, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(texts, async (pieces) => {
      const before = bot.said.length
      const text = pieces.map((each) => each.join('\n')).join('')
      for (const piece of pieces) agent.says(piece.join('\n'))
      agent.stops()
      bot.writes('speak')
      const wanted = split(storable(text))
      const shown = () => contents().slice(before)
      await until('all of it', () => shown().length > 0 && isWhole() && shown().length >= wanted.length)
      await bot.ground.looked()
      expect(shown()).toEqual(wanted.length > 0 ? wanted : ['-# Done, without words.'])
    }),
    { seed: seed(), numRuns: count(300, 12) },
  )
}, 600_000)
