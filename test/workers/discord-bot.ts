// The Discord bot in a process of its own, with everything faster than in life.
import { createOfflineDriver } from '../../src/agents/offline/offline.ts'
import { Bot } from '../../src/discord/bot.ts'
import type { DiscordAccount } from '../../src/discord/connection/connect.ts'
import { findHome } from '../../src/home.ts'
import { openBough } from '../../src/open-bough.ts'
import { fastPace } from '../support/discord/fast-pace.ts'

export interface BotWork extends DiscordAccount {
  readonly directory: string
}

export type BotReport = { readonly kind: 'ready' } | { readonly kind: 'log'; readonly words: string }

const { directory, ...account }: BotWork = JSON.parse(process.argv[2] ?? '')
const report = (line: BotReport) => process.stdout.write(`${JSON.stringify(line)}\n`)

const drivers = [createOfflineDriver({ pace: 2 })]
const bough = await openBough(findHome(process.env), { drivers, lookEvery: 20 })
await Bot.open(bough, {
  ...account,
  beginning: { title: 'Discord', directory },
  pace: fastPace,
  log: (words) => report({ kind: 'log', words }),
})
report({ kind: 'ready' })
