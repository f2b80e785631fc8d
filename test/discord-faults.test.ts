import { describe, expect, it } from 'vitest'
import { createOfflineDriver } from '../src/agents/offline/offline.ts'
import { BotGround, type BotGroundOptions } from './support/discord/bot-ground.ts'
import { type Fault, globalLimit } from './support/discord/faults.ts'
import { answersAll, noMarks } from './support/discord/screen.ts'

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
    for (const [i, each] of faults.entries()) {
      const fault = { ...each, ...which }
      bot.fake.faults.push(fault)
      for (const text of [`words 330\nnumber ${i}`, `herons ${i}`]) {
        bot.writes(text)
        written.push(text)
      }
      await answersAll(bot, written)
      expect(bot.fake.faults, 'it was met').not.toContain(fault)
      bot.fake.faults.length = 0
    }
    await noMarks(bot)
  })
})
