import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Home } from '../src/home.ts'
import { openStore } from '../src/store/open.ts'
import type { Store } from '../src/store/store.ts'
import type { ChannelID } from '../src/tree/ids.ts'
import { FakeDiscord } from './support/discord/fake-discord.ts'
import { factor } from './support/discord/fast-pace.ts'
import { wrongWith } from './support/discord/left-on-screen.ts'
import { Owner } from './support/discord/owner.ts'
import { scaledLimits } from './support/discord/rate-limits.ts'
import { newDirectory, newHome } from './support/ground.ts'
import { Program } from './support/program.ts'
import { count, randomFrom, seed } from './support/size.ts'
import { until } from './support/until.ts'
import type { BotReport, BotWork } from './workers/discord-bot.ts'

const kills = count(30, 6)

// Store and conversation stay the same all the time: what one kill leaves behind, the rounds after it meet.
test('A bot killed at random points answers every message once, in order, and leaves no sign of its deaths', {
  timeout: kills * 60_000,
}, async () => {
  const random = randomFrom(seed())
  const home = await newHome()
  const directory = await newDirectory()
  const fake = await new FakeDiscord({ rateLimits: scaledLimits(factor) }).start()
  onTestFinished(() => fake.stop())
  const owner = new Owner(fake, random)
  const start = () => startBot(home, { directory, token: fake.token, ownerID: owner.user.id, api: fake.api })
  let bot = start()
  await isReady(bot)
  const store = await openStore(home.data, Date.now)
  onTestFinished(() => store.close())
  const channelID = (await store.channels.all())[0]?.id ?? 'chn_'

  for (let kill = 1; kill <= kills; kill++) {
    // Some are killed before they have come back.
    if (kill % 5 !== 0) await isReady(bot)
    for (let acts = 1 + Math.floor(random() * 4); acts > 0; acts--) {
      owner.act()
      await pause(random() * 300)
    }
    await pause(random() * 700)
    await bot.kill()
    expect(bot.complaints, `before kill ${kill}`).toBe('')
    if (random() < 0.4) owner.writes('while away')
    bot = start()
    if (kill % 3 !== 0 && kill !== kills) continue
    await isReady(bot)
    await comesToRest(store, channelID, owner)
    expect(await wrongWith(store, channelID, owner), `after kill ${kill}`).toEqual([])
  }

  const openFork = async () => (await store.channels.get(channelID))?.openForkID
  if (!(await openFork())) owner.forks()
  const forkID = await until('an open fork', openFork)
  await bot.kill()
  owner.writes('goes on')
  bot = start()
  await comesToRest(store, channelID, owner)
  expect(await openFork()).toBe(forkID)
  const fork = await store.sessions.get(forkID)
  const own = await store.messages.range({ sessionID: forkID, from: 1, to: fork?.messages ?? 0 })
  expect(own.filter(({ role }) => role === 'user').at(-1)?.text).toBe(owner.written.at(-1))

  console.log(JSON.stringify(await figuresOf(store, owner)))
  expect(fake.unhandled).toEqual([])
  expect(fake.rest429).toBeLessThan(kills)
})

const startBot = (home: Home, work: BotWork): Program<BotReport> =>
  Program.start<BotReport>('discord-bot', home, [JSON.stringify(work)])

const isReady = (bot: Program<BotReport>) =>
  bot.hears('that it is ready', (report): report is BotReport => report.kind === 'ready', 40_000)

/** Waits until nothing goes on; whatever is asked is answered meanwhile. */
async function comesToRest(store: Store, channelID: ChannelID, owner: Owner): Promise<void> {
  const isQuiet = async () => {
    owner.answers()
    const runs = (await store.sideForks.open()).filter(({ kind, wish }) => kind === 'background' || wish)
    const open = [...(await store.inbox.open(channelID)), ...(await store.outbox.open(channelID))]
    const asked = await store.permissions.asked()
    return (
      runs.length + open.length + asked.length + owner.marked.length === 0 &&
      (await isAllShown(store, channelID, owner))
    )
  }
  await until('everything to come to rest', isQuiet, 40_000).catch(async (cause) => {
    const [inbox, outbox] = [await store.inbox.open(channelID), await store.outbox.open(channelID)]
    const wrong = await wrongWith(store, channelID, owner)
    throw new Error(JSON.stringify({ inbox, outbox, wrong }, null, 1), { cause })
  })
}

/** The last edits come a little later. */
const isAllShown = async (...what: Parameters<typeof wrongWith>): Promise<boolean> =>
  (await wrongWith(...what)).length === 0

async function figuresOf(store: Store, owner: Owner) {
  const forks = await store.sideForks.list()
  const ended = Object.groupBy(
    forks,
    ({ kind, origin, outcome }) => `${kind} by ${origin}: ${outcome ?? 'open'}`,
  )
  const byEnd = Object.fromEntries(Object.entries(ended).map(([how, list]) => [how, list?.length]))
  const cutOff = owner.sees.filter(({ content }) => content.includes('cut off')).length
  return { kills, written: owner.written.length, forks: byEnd, cutOff, shown: owner.sees.length }
}
