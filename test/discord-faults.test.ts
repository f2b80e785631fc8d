import { rename } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createOfflineDriver } from '../src/agents/offline/offline.ts'
import { slashCommands } from '../src/discord/commands/slash-commands.ts'
import { connectDiscord } from '../src/discord/connection/connect.ts'
import { shortID } from '../src/tree/ids.ts'
import { BotGround, type BotGroundOptions, wordsOf } from './support/discord/bot-ground.ts'
import { type Fault, globalLimit } from './support/discord/faults.ts'
import { answersAll, noMarks } from './support/discord/screen.ts'
import { count, randomFrom, seed } from './support/size.ts'
import { until } from './support/until.ts'

/** With an agent that takes its time, so that its answers are edited as they grow. */
const open = (options: BotGroundOptions = {}) =>
  BotGround.open({
    isAboutLimits: true,
    ground: { drivers: [createOfflineDriver({ pace: 1 })] },
    ...options,
  })

const faults: readonly Fault[] = [
  { status: 500 },
  { status: 503, times: 9 },
  // They take effect, and nobody is told.
  { after: true, destroySocket: true },
  { after: true, status: 502, times: 2 },
  { destroySocket: true, times: 2 },
  {
    status: 429,
    headers: { 'retry-after': '0.1' },
    body: { message: 'You are being rate limited.', retry_after: 0.1, global: false },
  },
  globalLimit(150),
]

/** All of them in the long run; else some, and others with another seed. */
function some<T>(all: readonly T[]): readonly T[] {
  const first = Math.floor(randomFrom(seed())() * all.length)
  return [...all.slice(first), ...all.slice(0, first)].slice(0, count(all.length, 3))
}

const aMessage = /\/channels\/\d+\/messages$/
const anEdit = /\/channels\/\d+\/messages\/\d+$/

describe('when Discord refuses, cuts off, loses the answer, or wants fewer requests', () => {
  it.each([
    ['new messages', { method: 'POST', path: aMessage }],
    ['edits', { method: 'PATCH', path: anEdit }],
    ['the sign that somebody types', { method: 'POST', path: /\/typing$/ }],
    ['signs on messages', { method: 'PUT', path: /\/reactions\// }],
    ['the end of signs on messages', { method: 'DELETE', path: /\/reactions\// }],
  ])('of %s, nothing is lost, nothing shown twice, and all is in order', async (_, which) => {
    const bot = await open()
    const written: string[] = []
    for (const [i, each] of some(faults).entries()) {
      const fault = { ...each, ...which }
      bot.fake.faults.push(fault)
      for (const text of [`words 330\nnumber ${i}`, `herons ${i}`]) {
        bot.writes(text)
        written.push(text)
      }
      await answersAll(bot, written)
      // A sign may be taken away a moment after the answer.
      await until(`${fault.method} to meet its fault`, () => !bot.fake.faults.includes(fault))
      bot.fake.faults.length = 0
    }
    await noMarks(bot)
  })
})

describe('what Discord would never take is given up and logged, and what comes after it is shown', () => {
  const invalid = { status: 400, body: { message: 'Invalid Form Body', code: 50_035 } }
  const notOurs = { status: 403, body: { message: 'Not its author', code: 50_005 } }

  it('of what a session sends', async () => {
    const bot = await BotGround.open()
    await bot.forks()
    const { sessionID } = await bot.ground.openFork()
    bot.fake.faults.push({ method: 'POST', path: aMessage, ...invalid })
    await bot.ground.bough.exit(sessionID, { action: 'discard' })
    await bot.asks('storks', '“storks”')
    expect(bot.words.filter((words) => words.startsWith('Fork ended'))).toEqual([])
    expect(bot.log).toEqual([
      `Discord does not take something that session ${shortID(sessionID)} sends: Invalid Form Body`,
    ])
  })

  it('of a reply that has begun', async () => {
    const bot = await BotGround.open()
    const { ground } = bot
    bot.writes('words 3\nsleep 1')
    await ground.held(1)
    const part = await until('a part of it', () => bot.said[0])
    bot.fake.faults.push({ path: new RegExp(`/messages/${part.id}$`), ...notOurs, times: 1_000_000 })
    ground.release(1)
    await bot.asks('storks', '“storks”')
    expect(bot.log).toEqual([expect.stringContaining('sends: Not its author')])
  })
})

describe('when Discord is away for longer than the bot has patience', () => {
  const isDown = { status: 503, times: 1_000_000 } as const
  const down = (bot: BotGround) =>
    bot.fake.faults.push({ ...isDown, method: 'POST', path: aMessage }, { ...isDown, path: anEdit })
  const up = (bot: BotGround) => bot.fake.faults.splice(0)

  it('the reply comes when it is back, and goes on in the message that shows a part of it', async () => {
    const bot = await BotGround.open({ isAboutLimits: true })
    const { ground } = bot
    bot.writes('words 3\nsleep 1\nwords 700')
    await ground.held(1)
    const part = await until('a part of it', () => bot.said[0])
    down(bot)
    ground.release(1)
    bot.writes('herons')
    bot.writes('storks')
    await until('both answers', async () => (await ground.prompts(await ground.main())).length === 3)
    expect(wordsOf(part)).toContain('writing …')
    up(bot)
    await answersAll(bot, ['words 3\nsleep 1\nwords 700', 'herons', 'storks'])
    expect(bot.said[0]?.id).toBe(part.id)
  })

  it('replies of which nothing was shown come in their order', async () => {
    const bot = await BotGround.open({ isAboutLimits: true })
    const { ground } = bot
    await bot.asks('before', /turn 1/)
    down(bot)
    bot.writes('herons')
    bot.writes('sleep 1')
    await ground.held(1)
    up(bot)
    bot.writes('storks')
    ground.release(1)
    await answersAll(bot, ['before', 'herons', 'sleep 1', 'storks'])
  })

  it('what had to be refused meanwhile is told when it is back, once', async () => {
    const bot = await BotGround.open({ isAboutLimits: true })
    const { ground } = bot
    await bot.asks('before', /turn 1/)
    down(bot)
    await rename(ground.directory, `${ground.directory}-away`)
    bot.writes('herons')
    await until('the refusal', async () => (await ground.bough.waiting(ground.channelID)).length === 0)
    const tries = bot.fake.calls('POST', aMessage).length
    await until('a second try', () => bot.fake.calls('POST', aMessage).length > tries + 4)
    await rename(`${ground.directory}-away`, ground.directory)
    up(bot)
    await bot.hears(/is gone\. Make it again/)
    await bot.asks('storks', /turn 2/)
    expect(bot.words.filter((words) => words.includes('is gone'))).toHaveLength(1)
  })

  it('and does not even answer, the next message does not wait for that', async () => {
    const bot = await BotGround.open({ isAboutLimits: true })
    const { fake, ground } = bot
    bot.writes('words 3\nsleep 1')
    await ground.held(1)
    await until('a part of it', () => bot.said[0])
    const hangs = { delayMs: 5_000, method: 'PATCH', path: anEdit }
    fake.faults.push(hangs)
    ground.release(1)
    bot.writes('herons')
    await until('the next turn', async () => (await ground.prompts(await ground.main())).length === 2)
    const hanging = fake.calls('PATCH', anEdit).filter(({ status }) => status === 0)
    expect(hanging).toHaveLength(1)
    await answersAll(bot, ['words 3\nsleep 1', 'herons'])
  })

  it('with the sign that somebody types, the reply does not wait for that', async () => {
    const bot = await BotGround.open({ isAboutLimits: true })
    const { fake, ground } = bot
    fake.faults.push({ delayMs: 4_000, method: 'POST', path: /\/typing$/ })
    bot.writes('herons')
    bot.writes('storks')
    await until('the next turn', async () => (await ground.prompts(await ground.main())).length === 2)
    expect(fake.calls('POST', /\/typing$/)[0]?.status).toBe(0)
    await answersAll(bot, ['herons', 'storks'])
  })
})

describe('when Discord fails for a while', () => {
  it('the banner of a fork that has ended has no buttons in the end, and there is one of each', async () => {
    const bot = await open()
    const banner = await bot.forks()
    bot.fake.faults.push({ method: 'PATCH', path: anEdit, status: 503, times: 9 })
    bot.clicks(banner, 'Exit fork')
    await bot.hears('Fork ended')
    await until('the buttons to be off', () => bot.live.length === 0)
    await bot.asks('herons', /herons/)
    expect(bot.words.map((words) => words.split('\n')[0]?.slice(0, 14))).toEqual([
      ...['Forked session', 'Fork ended', "I am bough's o"],
    ])
  })

  it.each([
    ['is posted late', { method: 'POST', path: aMessage, status: 503, times: 6 }],
    ['is closed late', { method: 'PATCH', path: anEdit, status: 503, times: 6 }],
  ])('an approval %s, once, and is answered once', async (_, fault) => {
    const bot = await open()
    bot.fake.faults.push(fault)
    bot.writes('run echo heron')
    const asked = await bot.hears('May the agent do this?')
    bot.clicks(asked, 'Allow once')
    await bot.hears('Allowed once')
    await bot.hears('“echo heron”: done')
    await until('its buttons to be off', () => bot.live.length === 0)
    expect(bot.words.filter((words) => words.includes('Allowed once'))).toHaveLength(1)
  })

  it('what was missed meanwhile is asked for until it is known', async () => {
    const bot = await open()
    const { fake } = bot
    bot.writes('before')
    await answersAll(bot, ['before'])
    fake.faults.push({ method: 'GET', path: aMessage, status: 503, times: 5 })
    fake.invalidateSessions()
    fake.dropSockets()
    bot.writes('missed')
    bot.writes('missed too')
    await answersAll(bot, ['before', 'missed', 'missed too'])
  })

  it('a command whose acknowledgement seemed lost is done, once', async () => {
    const bot = await open()
    bot.fake.faults.push({ method: 'POST', path: /\/callback$/, after: true, status: 502 })
    await bot.forks()
    bot.fake.faults.push({ method: 'POST', path: /\/callback$/, status: 502, times: 2 })
    bot.runs('fork')
    await bot.whispers(/already in a fork/)
    expect(bot.said).toHaveLength(1)
  })
})

it('a message that is gone is none that has to be changed or removed', async () => {
  const bot = await open()
  const { fake, owner } = bot
  const hears = () => {}
  const hearing = { ready: hears, message: hears, command: hears, click: hears, lost: hears, log: hears }
  const account = { token: fake.token, ownerID: owner.id, api: fake.api }
  const port = await connectDiscord(account, slashCommands, hearing)
  onTestFinished(() => port.close())
  const id = await port.send({ text: 'herons' }, 'nonce')
  // It is done, and then tried again.
  fake.faults.push({ method: 'DELETE', path: anEdit, after: true, status: 502 })
  await port.remove(id)
  await port.edit(id, { text: 'storks' })
  await port.unmark(id)
  expect(bot.words).toEqual([])
})

it('every message is sent with a nonce, and one that was sent already is not sent again', async () => {
  const bot = await open()
  bot.fake.faults.push({ method: 'POST', path: aMessage, after: true, delayMs: 9_000 })
  bot.writes('words 3')
  await answersAll(bot, ['words 3'])
  const bodies = bot.fake.calls('POST', aMessage).map(({ body }) => body)
  expect(bodies.length).toBeGreaterThan(1)
  for (const body of bodies) expect(body).toMatchObject({ nonce: expect.any(String), enforce_nonce: true })
})
