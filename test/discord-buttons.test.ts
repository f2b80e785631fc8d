import { describe, expect, it } from 'vitest'
import { tool } from '../src/forks/side/testing/ground.ts'
import { BotGround, wordsOf } from './support/discord/bot-ground.ts'
import { clicksOld, deadButtons, liveButtons } from './support/discord/buttons.ts'
import type { Message } from './support/discord/message.ts'

const card = tool('send_embed', {
  title: 'Herons',
  body: 'Two of them, in the reeds.',
  buttons: [
    { label: 'Count', prompt: 'Count the herons.' },
    { label: 'Feed', prompt: 'Feed the herons.' },
  ],
})

/** A background run that has sent a card with two buttons. */
async function carded(bot: BotGround) {
  const run = await bot.ground.run(`look\n${card}`)
  return { run, message: await bot.hears('Herons') }
}

const off = (bot: BotGround, message: Message, ...labels: readonly string[]): Promise<boolean> =>
  bot.fake.until(`${labels} to be off`, () => labels.every((label) => deadButtons(message).includes(label)))

const clickedIn = async ({ ground }: BotGround, id: Parameters<typeof ground.contexts>[0]) =>
  (await ground.contexts(id)).flatMap((context) => /^\[button\] .*$/m.exec(context)?.[0] ?? [])

it('an embed of the agent is a card with its buttons, which say nothing of their prompts', async () => {
  const bot = await BotGround.open()
  const { message } = await carded(bot)
  expect(wordsOf(message)).toBe('-# background run “look”\nHerons\nTwo of them, in the reeds.')
  expect(liveButtons(message)).toEqual(['Count', 'Feed'])
  expect(JSON.stringify(message)).not.toContain('Count the herons.')
})

describe('a click on a button of a fork, while no fork is open', () => {
  it('enters a fork from that session: the banner, then the prompt; the button is switched off, the other not', async () => {
    const bot = await BotGround.open()
    const { run, message } = await carded(bot)
    bot.clicks(message, 'Count')
    const banner = await bot.hears('Forked session')
    await off(bot, message, 'Count')
    expect(liveButtons(message)).toEqual(['Feed'])
    expect(wordsOf(message)).toBe('-# background run “look”\nHerons\nTwo of them, in the reeds.')
    const { sessionID, origin } = await bot.ground.openFork()
    expect([origin, (await bot.ground.bough.session(sessionID)).parentID]).toEqual(['button', run.sessionID])
    const reply = await bot.hears(/\[button\] Count the herons/)
    expect(bot.said.indexOf(reply)).toBe(bot.said.indexOf(banner) + 1)
    expect(await clickedIn(bot, sessionID)).toEqual(['[button] Count the herons.'])
    expect(await bot.ground.sideFork(run.sessionID)).toEqual(run)
  })

  it('a second click says that it was used, to the clicker only', async () => {
    const bot = await BotGround.open()
    const { message } = await carded(bot)
    const before = structuredClone(message)
    bot.clicks(message, 'Count')
    await off(bot, message, 'Count')
    bot.runs('exit')
    await bot.hears('Discarded')
    const seen = bot.words
    clicksOld(bot, before, 'Count')
    await bot.whispers('That button has been used already.')
    expect(bot.words).toEqual(seen)
    expect(await bot.ground.isForkOpen()).toBe(false)
  })

  it('two clicks at once are one', async () => {
    const bot = await BotGround.open()
    const { message } = await carded(bot)
    bot.clicks(message, 'Count')
    bot.clicks(message, 'Count')
    await bot.hears(/\[button\] Count the herons/)
    await bot.whispers(/already/)
    await off(bot, message, 'Count')
    expect((await bot.ground.sideForks()).filter(({ kind }) => kind === 'interactive')).toHaveLength(1)
    expect(liveButtons(message)).toEqual(['Feed'])
  })

  it('twenty minutes and a restart later it does the same', async () => {
    const bot = await BotGround.open()
    const { run, message } = await carded(bot)
    bot.pass(20)
    await bot.restart()
    bot.clicks(message, 'Feed')
    await bot.hears(/\[button\] Feed the herons/)
    await off(bot, message, 'Feed')
    const { sessionID } = await bot.ground.openFork()
    expect((await bot.ground.bough.session(sessionID)).parentID).toBe(run.sessionID)
  })

  it('eight days later it is too old, and stays as it is', async () => {
    const bot = await BotGround.open()
    const { message } = await carded(bot)
    bot.pass(8 * 24 * 60)
    bot.clicks(message, 'Count')
    await bot.whispers('That button is too old')
    expect(await bot.ground.isForkOpen()).toBe(false)
  })
})

describe('a click on a button of a fork, while a fork is open', () => {
  it('is refused with "already in a fork", seen only by the clicker; the button is kept, and works later', async () => {
    const bot = await BotGround.open()
    const { run, message } = await carded(bot)
    const banner = await bot.forks()
    const { sessionID } = await bot.ground.openFork()
    const seen = bot.words
    bot.clicks(message, 'Count')
    await bot.whispers('You are already in a fork. End it first; the button waits for you.')
    expect([bot.words, liveButtons(message)]).toEqual([seen, ['Count', 'Feed']])
    expect((await bot.ground.openFork()).sessionID).toBe(sessionID)
    bot.clicks(banner, 'Exit fork')
    await bot.hears('Discarded')
    bot.clicks(message, 'Count')
    await bot.hears(/\[button\] Count the herons/)
    await off(bot, message, 'Count')
    const later = await bot.ground.openFork()
    expect((await bot.ground.bough.session(later.sessionID)).parentID).toBe(run.sessionID)
  })
})

describe('a click on a button of main', () => {
  it('goes to main, and the button is switched off; a second says that it was used', async () => {
    const bot = await BotGround.open()
    bot.writes(card)
    const message = await bot.hears('Herons')
    const before = structuredClone(message)
    bot.clicks(message, 'Count')
    await bot.hears(/\[button\] Count the herons/)
    await off(bot, message, 'Count')
    expect(liveButtons(message)).toEqual(['Feed'])
    expect(await clickedIn(bot, await bot.ground.main())).toEqual(['[button] Count the herons.'])
    expect(await bot.ground.sideForks()).toEqual([])
    clicksOld(bot, before, 'Count')
    await bot.whispers('That button has been used already.')
  })

  it('is queued while a fork is open, and says so: the button is off at once, and main is told when the fork has ended', async () => {
    const bot = await BotGround.open()
    bot.writes(card)
    const message = await bot.hears('Herons')
    const banner = await bot.forks()
    bot.clicks(message, 'Count')
    await bot.whispers('That goes to the main conversation, when this fork has ended.')
    await off(bot, message, 'Count')
    await bot.asks('in the fork', /“in the fork”/)
    expect(await clickedIn(bot, (await bot.ground.openFork()).sessionID)).toEqual([])
    bot.clicks(banner, 'Exit fork')
    await bot.hears(/\[button\] Count the herons/)
    expect(await clickedIn(bot, await bot.ground.main())).toEqual(['[button] Count the herons.'])
  })

  it('both buttons one after the other: both are answered, and both are off', async () => {
    const bot = await BotGround.open()
    bot.writes(card)
    const message = await bot.hears('Herons')
    bot.clicks(message, 'Count')
    bot.clicks(message, 'Feed')
    await bot.hears(/\[button\] Count the herons/)
    await bot.hears(/\[button\] Feed the herons/)
    await off(bot, message, 'Count', 'Feed')
    expect(await clickedIn(bot, await bot.ground.main())).toEqual([
      '[button] Count the herons.',
      '[button] Feed the herons.',
    ])
  })

  it('both at once while a fork is open: both are off, also where Discord is slow to show it', async () => {
    const bot = await BotGround.open()
    bot.writes(card)
    const message = await bot.hears('Herons')
    await bot.forks()
    bot.fake.faults.push({ method: 'PATCH', delayMs: 100 })
    bot.clicks(message, 'Count')
    bot.clicks(message, 'Feed')
    await off(bot, message, 'Feed')
    expect(liveButtons(message)).toEqual([])
  })
})
