import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createOfflineDriver } from '../src/agents/offline/offline.ts'
import { usualPace } from '../src/discord/stream/stream-reply.ts'
import { BotGround } from './support/discord/bot-ground.ts'
import { defaultLimits, scaledLimits } from './support/discord/rate-limits.ts'
import { answersAll } from './support/discord/screen.ts'
import { count } from './support/size.ts'

/** How many times faster than in life everything goes: speech, pace and limits alike. */
const speed = count(1, 2)
const words = 2_000
const wordsASecond = 100
/** So long Discord shows that somebody types. */
const typingLasts = 10_000

it('2,000 words at 100 a second stay within Discord’s limits, and their end is there within 2 s', {
  timeout: 90_000,
}, async () => {
  const milliseconds = 1000 / wordsASecond / speed
  const spoken: number[] = []
  let due = 0
  const sleep = async (): Promise<void> => {
    due = Math.max(due, (spoken[0] ?? Date.now()) + spoken.length * milliseconds)
    if (due > Date.now()) await pause(due - Date.now())
    spoken.push(Date.now())
  }
  const edits = usualPace.edits / speed
  const bot = await BotGround.open({
    ground: { drivers: [createOfflineDriver({ pace: milliseconds, sleep })] },
    fake: { rateLimits: scaledLimits(1 / speed, defaultLimits) },
    pace: {
      edits,
      looks: usualPace.looks / speed,
      typing: usualPace.typing / speed,
      patience: 15_000 / speed,
    },
  })
  bot.writes(`words ${words}`)
  await answersAll(bot, [`words ${words}`])
  const seconds = ((spoken.at(-1) ?? 0) - (spoken[0] ?? 0)) / 1000
  const shown = bot.fake.history.filter(({ message }) => message.author.id === bot.fake.bot.id)
  const end = (shown.at(-1)?.at ?? 0) - (spoken.at(-1) ?? 0)
  const patches = bot.fake.calls('PATCH', /\/messages\/\d+$/).map(({ at }) => at)
  const gaps = gapsBetween(patches)
  const signs = [...bot.fake.typing.map(({ at }) => at), spoken.at(-1) ?? 0]
  const figures = {
    speed,
    wordsASecond: Math.round(words / seconds / speed),
    messages: bot.said.length,
    edits: patches.length,
    shortestGap: Math.round(Math.min(...gaps) * speed),
    longestWithoutSign: Math.round(Math.max(...gapsBetween(signs)) * speed),
    lastEditAfter: Math.round(end * speed),
    refused: bot.fake.rest429,
  }
  console.log(JSON.stringify(figures))
  expect(figures.refused).toBe(0)
  expect(figures.lastEditAfter).toBeLessThan(2_000)
  expect(figures.longestWithoutSign).toBeLessThan(typingLasts)
  expect(Math.min(...gaps)).toBeGreaterThan(edits - 2)
  // It was shown as it came.
  expect(patches.length).toBeGreaterThan(10)
  expect(figures.wordsASecond).toBeGreaterThan(90)
})

const gapsBetween = (times: readonly number[]): readonly number[] =>
  times.slice(1).map((at, i) => at - (times[i] ?? 0))
