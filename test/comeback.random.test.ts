import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createOfflineDriver } from '../src/agents/offline/offline.ts'
import type { Bough } from '../src/bough.ts'
import type { Home } from '../src/home.ts'
import { openBough } from '../src/open-bough.ts'
import { openStore } from '../src/store/open.ts'
import type { Store } from '../src/store/store.ts'
import { act, noting, type Player } from './support/comeback-acts.ts'
import { brokenIn } from './support/comeback-invariants.ts'
import { newDirectory, newHome } from './support/ground.ts'
import { Program } from './support/program.ts'
import { count, randomFrom, seed } from './support/size.ts'
import { until } from './support/until.ts'
import type { ComebackReport, ComebackWork } from './workers/comeback-work.ts'

const rounds = count(250, 3)
const roundsAStore = 10
const channelsAtOnce = 8
const kills = count(100, 4)

/** Nothing waits, nothing runs: neither here nor for later. */
const isQuiet = async (store: Store): Promise<boolean> => {
  if ((await store.inbox.busy()).length > 0) return false
  const forks = await store.sideForks.open()
  return forks.every(({ kind, wish }) => kind === 'interactive' && wish === null)
}

// What is for main waits while a fork is open: so in the end all are closed.
async function comeToRest(bough: Bough, store: Store): Promise<void> {
  await bough.keepTime()
  for (const { mainID, id } of await store.channels.all()) {
    const { openForkID } = await bough.channel(id)
    if (openForkID) await bough.exit(openForkID, { action: 'discard' }).catch(() => {})
    expect(mainID).toBeTruthy()
  }
  const rest = until(
    'everything to come to rest',
    async () => {
      for (const fork of await store.sideForks.open())
        if (fork.kind === 'interactive')
          await bough.exit(fork.sessionID, { action: 'discard' }).catch(() => {})
      return isQuiet(store)
    },
    180_000,
  )
  await rest.catch(async (cause) => {
    const channels = await store.inbox.busy()
    const items = (await Promise.all(channels.map((id) => store.inbox.open(id)))).flat()
    throw new Error(JSON.stringify({ items, forks: await store.sideForks.open() }, null, 1), { cause })
  })
}

test('thousands of interleavings of messages, exits, timeouts, runs and restarts keep the invariants', {
  timeout: rounds * 20_000,
}, async () => {
  const random = randomFrom(seed())
  // A store is read as a whole after each round, so it must not grow with all of them.
  for (let first = 0; first < rounds; first += roundsAStore)
    await inOneStore(first, Math.min(first + roundsAStore, rounds), random)
})

async function inOneStore(first: number, last: number, random: () => number): Promise<void> {
  const home = await newHome()
  const directory = await newDirectory()
  const time = { plus: 0 }
  const clock = () => Date.now() + time.plus
  const store = await openStore(home.data, clock)
  onTestFinished(() => store.close())
  for (let round = first; round < last; round++) {
    let bough = await open(home, clock)
    const players: Player[] = []
    for (let i = 0; i < channelsAtOnce; i++) {
      const { id } = await bough.create({ directory })
      const channelID = (await bough.channelOf(id)).id
      const player = { channelID, random: randomFrom(seed() + round * 100 + i), shown: [], buttons: [] }
      const advance = (by: number) => {
        time.plus += by
      }
      await bough.attend(channelID, noting(player))
      players.push({ ...player, bough, advance })
    }
    const isRestarting = random() < 0.3
    const acting = players.flatMap((player) => [lane(player, 4), lane(player, 3)])
    if (isRestarting) {
      await pause(random() * 150)
      await bough.close()
    }
    await Promise.all(acting)
    if (isRestarting) bough = await open(home, clock)
    await comeToRest(bough, store)
    await bough.close()
    expect(await brokenIn(home, store), `round ${round}`).toEqual([])
  }
  expect(await store.sideForks.list()).not.toEqual([])
}

async function lane(player: Player, acts: number): Promise<void> {
  for (let done = 0; done < acts; done++) await act(player).catch(ignoreClosed)
}

// A bough that is closed in the middle says so in many ways; what it leaves behind is what counts.
const ignoreClosed = (error: unknown): void => {
  if (!/closed|not open/i.test(String(error))) throw error
}

async function open(home: Home, clock: () => number): Promise<Bough> {
  const bough = await openBough(home, { drivers: [createOfflineDriver({ pace: 0 })], lookEvery: 25, clock })
  onTestFinished(() => bough.close())
  return bough
}

test('processes killed at any step lose nothing and do nothing twice', {
  timeout: kills * 30_000,
}, async () => {
  const home = await newHome()
  const directory = await newDirectory()
  const random = randomFrom(seed())
  const store = await openStore(home.data, Date.now)
  onTestFinished(() => store.close())
  let offset = 0
  for (let kill = 1; kill <= kills; kill++) {
    // Two at once share their channels, and the clock stands still for both.
    const isPair = kill % 3 === 0
    const start = (n: number) => {
      const work: ComebackWork = { seed: seed() + kill * 10 + n, directory, offset, mayAdvance: !isPair }
      return Program.start<ComebackReport>('comeback-work', home, [JSON.stringify(work)])
    }
    const programs = isPair ? [start(0), start(1)] : [start(0)]
    await programs[0]?.hears('that it is ready', (report) => report.kind === 'ready')
    await pause(random() * 1_200)
    for (const program of programs) await program.kill()
    for (const { reports, complaints } of programs) {
      expect(
        reports.filter(({ kind }) => kind === 'failed'),
        complaints,
      ).toEqual([])
      offset = Math.max(
        offset,
        ...reports.flatMap((report) => (report.kind === 'offset' ? [report.offset] : [])),
      )
    }
    if (kill % 4 !== 0 && kill !== kills) continue
    const bough = await open(home, () => Date.now() + offset)
    await comeToRest(bough, store)
    await bough.close()
    expect(await brokenIn(home, store), `after kill ${kill}`).toEqual([])
  }
  const forks = await store.sideForks.list()
  expect(forks.length).toBeGreaterThan(kills / 2)
})
