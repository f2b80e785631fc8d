import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createClaudeDriver } from '../src/agents/claude/claude.ts'
import { BotGround, wordsOf } from './support/discord/bot-ground.ts'
import { liveButtons } from './support/discord/buttons.ts'

async function openIn(...commands: readonly string[]): Promise<BotGround> {
  const drivers = [createClaudeDriver({ env: {} })]
  const bot = await BotGround.open({ isAway: true, ground: { drivers, config: { agent: 'claude' } } })
  hook(bot, ...commands)
  await bot.start()
  return bot
}

function hook({ ground }: BotGround, ...commands: readonly string[]): void {
  const Stop = commands.map((command) => ({ hooks: [{ type: 'command', command }] }))
  mkdirSync(join(ground.directory, '.claude'), { recursive: true })
  writeFileSync(join(ground.directory, '.claude', 'settings.json'), JSON.stringify({ hooks: { Stop } }))
}

const question = (bot: BotGround) =>
  bot.fake.until('the question', () =>
    bot.said.find((each) => wordsOf(each).includes('Trust this directory?') && liveButtons(each).length > 0),
  )

const stateOf = async ({ ground }: BotGround) => (await ground.bough.trust(ground.directory)).state

it('the owner is asked on Discord, sees what would run, and trusts it with a click', async () => {
  const bot = await openIn('run-me')
  const asked = await question(bot)
  expect(wordsOf(asked)).toContain('claude hook Stop (.claude/settings.json): run-me')
  expect(liveButtons(asked)).toEqual(['Trust it', 'Not now'])
  bot.clicks(asked, 'Trust it')
  await bot.fake.until('the answer', () => liveButtons(asked).length === 0)
  expect(await stateOf(bot)).toBe('trusted')
})

it('a click trusts only what was shown, and the question comes once', async () => {
  const bot = await openIn('run-me')
  const asked = await question(bot)
  await bot.restart()
  hook(bot, 'run-me', 'another')
  bot.clicks(asked, 'Trust it')
  const next = await bot.fake.until('the new question', () =>
    bot.said.find((each) => wordsOf(each).includes('another')),
  )
  expect(await stateOf(bot)).toBe('untrusted')
  expect(bot.said.filter((each) => wordsOf(each).includes('Trust this directory?'))).toHaveLength(2)
  bot.clicks(next, 'Not now')
  await bot.fake.until('the answer', () => liveButtons(next).length === 0)
  expect(await stateOf(bot)).toBe('untrusted')
})

it('a long list comes in several messages, and only the last has the buttons', async () => {
  const bot = await openIn(...Array.from({ length: 40 }, (_, i) => `run-me-${i}`))
  const asked = await question(bot)
  const before = bot.said.slice(0, bot.said.indexOf(asked))
  expect(before.length).toBeGreaterThan(0)
  expect(before.flatMap(liveButtons)).toEqual([])
  const all = bot.said.map(wordsOf).join('\n')
  for (let i = 0; i < 40; i++) expect(all).toContain(`: run-me-${i}`)
})
