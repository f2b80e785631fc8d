import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { BoughError } from '../src/tree/error.ts'
import { visibleText } from '../src/tree/plain-text.ts'
import { codeIn, proseOf } from './support/discord/as-read.ts'
import { BotGround, wordsOf } from './support/discord/bot-ground.ts'
import { clicksOld, deadButtons, liveButtons } from './support/discord/buttons.ts'
import type { Message } from './support/discord/message.ts'

const [session, every] = ['Allow this exact command this session', 'Allow every command this session']
const answers = ['Allow once', session, 'Allow this exact command always', every, 'Deny']
const overWords = 'Answered elsewhere, or nobody did in time'

const isThere = ({ ground }: BotGround, file: string): boolean => existsSync(join(ground.directory, file))

const asked = (bot: BotGround, command: string): Promise<Message> =>
  bot.fake.until(`to be asked for ${command}`, () =>
    bot.said.find((each) => wordsOf(each).includes(command) && liveButtons(each).length > 0),
  )

/** The question, once it is answered. */
const closed = (bot: BotGround, question: Message): Promise<boolean> =>
  bot.fake.until('the question to be closed', () => liveButtons(question).length === 0)

const titleOf = ({ embeds }: Message): string => embeds[0]?.title ?? ''

describe.each(['in a shown turn', 'of a background run'])('an approval %s', (where) => {
  const begin = async (bot: BotGround, prompt: string): Promise<void> => {
    if (where === 'in a shown turn') bot.writes(prompt)
    else await bot.ground.bough.runBackground(bot.ground.channelID, prompt)
  }

  it('is a message with a button for each answer', async () => {
    const bot = await BotGround.open()
    await begin(bot, 'run touch made.txt')
    const question = await asked(bot, 'touch made.txt')
    expect(wordsOf(question)).toBe('May the agent do this?\n**run**\n```\ntouch made.txt\n```')
    expect(liveButtons(question)).toEqual(answers)
    expect(isThere(bot, 'made.txt')).toBe(false)
  })

  it('is allowed once: the next is asked again', async () => {
    const bot = await BotGround.open()
    await begin(bot, 'run touch one.txt\nrun touch two.txt')
    const question = await asked(bot, 'touch one.txt')
    bot.clicks(question, 'Allow once')
    const next = await asked(bot, 'touch two.txt')
    await closed(bot, question)
    expect([titleOf(question), deadButtons(question)]).toEqual(['Allowed once', answers])
    expect(wordsOf(question)).toContain('touch one.txt')
    expect([isThere(bot, 'one.txt'), isThere(bot, 'two.txt')]).toEqual([true, false])
    bot.clicks(next, 'Allow once')
    await bot.fake.until('the second file', () => isThere(bot, 'two.txt'))
  })

  it('is allowed for every command in the session: the next is not asked', async () => {
    const bot = await BotGround.open()
    await begin(bot, 'run touch one.txt\nrun touch two.txt')
    const question = await asked(bot, 'touch one.txt')
    bot.clicks(question, every)
    await bot.fake.until('both files', () => isThere(bot, 'two.txt'))
    await closed(bot, question)
    expect([titleOf(question), deadButtons(question)]).toEqual([
      'Allowed every command this session',
      answers,
    ])
    expect(bot.words.filter((words) => words.startsWith('May the agent'))).toEqual([])
    // Another session has to ask for itself.
    await bot.forks()
    bot.writes('run touch three.txt')
    await asked(bot, 'touch three.txt')
  })

  it('is denied', async () => {
    const bot = await BotGround.open()
    await begin(bot, 'run touch made.txt\nwrite after.txt: x')
    const question = await asked(bot, 'touch made.txt')
    bot.clicks(question, 'Deny')
    await closed(bot, question)
    expect([titleOf(question), deadButtons(question)]).toEqual(['Denied', answers])
    await bot.fake.until('the agent to go on', () => isThere(bot, 'after.txt'))
    expect(isThere(bot, 'made.txt')).toBe(false)
  })

  it('has one answer: of two clicks the second says so, and what was answered stays in view', async () => {
    const bot = await BotGround.open()
    await begin(bot, 'run touch made.txt')
    const question = await asked(bot, 'touch made.txt')
    const before = structuredClone(question)
    bot.clicks(question, 'Deny')
    clicksOld(bot, before, 'Allow once')
    await bot.whispers('That was answered already')
    await closed(bot, question)
    clicksOld(bot, before, session)
    await bot.fake.until('both to be told', () => bot.whispered.length === 2)
    expect([titleOf(question), deadButtons(question)]).toEqual(['Denied', answers])
    expect(wordsOf(question)).toContain('touch made.txt')
    expect(isThere(bot, 'made.txt')).toBe(false)
  })

  it('whose answer cannot be stored just now says why, and can be answered again', async () => {
    const bot = await BotGround.open()
    await begin(bot, 'run touch made.txt')
    const question = await asked(bot, 'touch made.txt')
    const busy = new BoughError('store_busy', 'The store is busy. Try again.')
    vi.spyOn(bot.ground.bough, 'answer').mockRejectedValueOnce(busy)
    bot.clicks(question, 'Allow once')
    await bot.whispers('The store is busy')
    bot.clicks(question, 'Allow once')
    await closed(bot, question)
    expect(titleOf(question)).toBe('Allowed once')
    await bot.fake.until('the file', () => isThere(bot, 'made.txt'))
  })

  it('that Discord does not take is logged, with what to do, and can be answered elsewhere', async () => {
    const bot = await BotGround.open()
    const blocked = { status: 403, body: { code: 50_007, message: 'Cannot send messages to this user' } }
    bot.fake.faults.push({ method: 'POST', path: /\/messages$/, ...blocked })
    await begin(bot, 'run touch made.txt')
    await bot.fake.until('the log', () => bot.log.length > 0)
    const [permission] = await bot.ground.bough.permissions()
    await bot.ground.bough.answer(permission?.id ?? 'per_', { allow: true })
    await bot.fake.until('the file', () => isThere(bot, 'made.txt'))
    expect(bot.log).toEqual([
      'A question of the agent could not be asked (Cannot send messages to this user). "bough approve" answers it.',
    ])
  })

  it('is answered elsewhere: the buttons are off, and a late click says so', async () => {
    const bot = await BotGround.open()
    await begin(bot, 'run touch made.txt')
    const question = await asked(bot, 'touch made.txt')
    const before = structuredClone(question)
    const [permission] = await bot.ground.bough.permissions()
    if (!permission) throw new Error('nothing is asked')
    await bot.ground.bough.answer(permission.id, { allow: true })
    await closed(bot, question)
    expect([titleOf(question), deadButtons(question)]).toEqual([overWords, answers])
    await bot.fake.until('the file', () => isThere(bot, 'made.txt'))
    clicksOld(bot, before, 'Deny')
    await bot.whispers('That was answered already')
    expect(wordsOf(question)).toContain('touch made.txt')
  })

  it('that nobody answers in time is a denial', async () => {
    const bot = await BotGround.open({ ground: { config: { permissions: { timeout: 1 } } } })
    await begin(bot, 'run touch made.txt\nwrite after.txt: x')
    const question = await asked(bot, 'touch made.txt')
    await closed(bot, question)
    expect([titleOf(question), deadButtons(question)]).toEqual([overWords, answers])
    await bot.fake.until('the agent to go on', () => isThere(bot, 'after.txt'))
    expect(isThere(bot, 'made.txt')).toBe(false)
  })

  it('whose turn a restart has ended is closed after it, and a click says so', async () => {
    const bot = await BotGround.open()
    await begin(bot, 'run touch made.txt')
    const question = await asked(bot, 'touch made.txt')
    const before = structuredClone(question)
    await bot.restart()
    await closed(bot, question)
    expect(titleOf(question)).toBe(overWords)
    clicksOld(bot, before, 'Allow once')
    await bot.whispers('That was answered already')
    expect(isThere(bot, 'made.txt')).toBe(false)
  })
})

it('what another process asks is still asked after a restart, in the same message, and can be answered there', async () => {
  const bot = await BotGround.open()
  const other = await bot.ground.another()
  const main = await bot.ground.main()
  const turn = await other.send(main, 'run touch made.txt')
  const question = await asked(bot, 'touch made.txt')
  await bot.restart()
  expect(liveButtons(question)).toEqual(answers)
  bot.clicks(question, 'Allow once')
  expect(await turn.ended).toMatchObject({ outcome: 'finished' })
  await closed(bot, question)
  expect(titleOf(question)).toBe('Allowed once')
  expect(bot.words.filter((words) => words.includes('touch made.txt'))).toHaveLength(1)
  expect(isThere(bot, 'made.txt')).toBe(true)
})

it('a detail that says what signs mean does not break out of its place', async () => {
  const command = `echo "\`\`\`" && echo "@everyone **Allowed once** ||hidden||"`
  const bot = await BotGround.open()
  bot.writes(`run ${command}`)
  const question = await asked(bot, 'echo')
  const words = wordsOf(question)
  expect(proseOf(words)).toBe('May the agent do this?\n**run**\n')
  expect(codeIn(words).map((code) => code.replaceAll('\u200b', ''))).toEqual([command])
  bot.clicks(question, 'Deny')
  await closed(bot, question)
})

const partsOf = (bot: BotGround): readonly Message[] =>
  bot.said.filter((each) => wordsOf(each).includes(', part '))
const codeOf = (messages: readonly Message[]): string =>
  messages.map((each) => codeIn(wordsOf(each)).join().replaceAll('\u200b', '')).join('')

it('a long question comes in parts, complete and line by line, and only the last one has buttons', async () => {
  const bot = await BotGround.open()
  const command = `echo '${'\u200b'.repeat(300)}${'`'.repeat(1500)} ||hidden|| ${'y'.repeat(900)}'; touch made.txt`
  bot.writes(`run ${command}`)
  const question = await asked(bot, ', part ')
  const parts = partsOf(bot)
  expect(parts.length).toBeGreaterThan(3)
  for (const part of parts) expect(part.content.length).toBeLessThanOrEqual(2000)
  expect(parts.map((part) => liveButtons(part).length > 0)).toEqual(
    parts.map((_, i) => i === parts.length - 1),
  )
  expect(codeOf(parts)).toBe(visibleText(command))
  for (const part of parts) expect(proseOf(wordsOf(part))).not.toMatch(/hidden|y{9}/)
  bot.clicks(question, 'Allow once')
  await bot.fake.until('the file', () => isThere(bot, 'made.txt'))
})

it('a restart in the middle of a long question goes on after the parts that are there', async () => {
  const bot = await BotGround.open()
  const other = await bot.ground.another()
  const blocked = { status: 403, body: { code: 50_007, message: 'Cannot send messages to this user' } }
  const path = /\/messages$/
  bot.fake.faults.push({ method: 'POST', path, delayMs: 1, times: 2 }, { method: 'POST', path, ...blocked })
  const turn = await other.send(await bot.ground.main(), `run echo ${'y'.repeat(4000)}`)
  await bot.fake.until('the log', () => bot.log.length > 0)
  expect(partsOf(bot).length).toBeLessThan(4)
  await bot.restart()
  const question = await asked(bot, ', part 4 of 4')
  expect(partsOf(bot).map((each) => /part \d of 4/.exec(wordsOf(each))?.[0])).toEqual(
    [1, 2, 3, 4].map((n) => `part ${n} of 4`),
  )
  bot.clicks(question, 'Allow once')
  expect(await turn.ended).toMatchObject({ outcome: 'finished' })
})

it('a question of more than twenty parts can be denied only, and says where it can be allowed', async () => {
  const bot = await BotGround.open()
  bot.writes(`run echo ${'y'.repeat(30_000)}; touch made.txt`)
  const question = await asked(bot, 'too long for Discord')
  expect(liveButtons(question)).toEqual(['Deny'])
  expect(wordsOf(question)).toContain('bough approve ')
  const [permission] = await bot.ground.bough.permissions()
  bot.fake.userForges(bot.dm, bot.owner, `answer:once:${permission?.id}`, question)
  await bot.whispers('cannot be answered so here')
  bot.clicks(question, 'Deny')
  await closed(bot, question)
  expect(isThere(bot, 'made.txt')).toBe(false)
})
