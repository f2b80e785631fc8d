import { setTimeout as pause } from 'node:timers/promises'
import { openStore, storeFile } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { randomFrom } from '../random.ts'
import { until } from '../until.ts'
import { brokenBounds } from './bounds.ts'
import { whatIsBroken } from './checks.ts'
import { comeToRest } from './come-to-rest.ts'
import { type Crew, gatherCrew } from './crew.ts'
import { type Harm, harm, waitFor } from './harm.ts'
import { type Length, lengthOf } from './length.ts'
import { measure, type Sample } from './measure.ts'
import { invitePeople, type People } from './people/people.ts'
import { relativesOf, zombiesOf } from './proc.ts'
import { type Reader, readAnywhere, readWithClient } from './readers.ts'
import { Said } from './said.ts'

// A soak goes: everything starts ──▶ people act, processes are killed and held, readers are cut ──▶ it comes to rest
// ──▶ everything is ended as a person would ──▶ what must hold is checked. What was started is gone in the end, in any case.

export interface SoakOptions {
  readonly seconds: number
  readonly seed: number
  /** What is started as `bough`. */
  readonly launcher: string
  /** Hears how it goes. */
  log(line: string): void
  /** Ends it early, without a verdict. */
  readonly signal?: AbortSignal
}

export interface Verdict {
  /** What must not be; nothing when all is well. */
  readonly broken: readonly string[]
  readonly samples: readonly Sample[]
  readonly harms: ReadonlyMap<string, Harm>
  /** How often each thing was done. */
  readonly counts: ReadonlyMap<string, number>
  readonly events: number
}

/** Milliseconds that everything has to come to rest; longer than any question, command or lease. */
const restLimit = 90_000

export async function soak(options: SoakOptions): Promise<Verdict> {
  const broken = new Set<string>()
  const complain = (words: string) => {
    if (!broken.has(words)) options.log(`BROKEN ${words}`)
    broken.add(words)
  }
  const crew = await gatherCrew(options.launcher, complain)
  const over = new AbortController()
  const stop = () => over.abort()
  options.signal?.addEventListener('abort', stop)
  const began = performance.now()
  const log = (line: string) =>
    options.log(`${String(Math.round((performance.now() - began) / 1_000)).padStart(5)} s  ${line}`)
  const world: World = { ...options, log, crew, complain, over, said: new Said(), harming: [] }
  let isKept = false
  try {
    const found = await work(world)
    isKept = broken.size > 0
    return { ...found, broken: [...broken] }
  } finally {
    stop()
    await Promise.allSettled(world.harming)
    await endEverything(crew)
    if (!isKept) await crew.ground.remove()
  }
}

interface World extends SoakOptions {
  readonly crew: Crew
  readonly said: Said
  readonly over: AbortController
  readonly harming: Promise<unknown>[]
  complain(words: string): void
}

async function work(world: World): Promise<Omit<Verdict, 'broken'>> {
  const { crew, said, complain, over, seed, signal } = world
  for (const kept of crew.all) kept.start()
  await Promise.all(crew.all.map((kept) => kept.ready()))
  const store = await openStore(crew.ground.home.data, Date.now)
  const reading = new AbortController()
  try {
    const length = lengthOf(world.seconds)
    const people = await invitePeople(crew, store, { said, complain }, seed)
    const readers = follow(world, people, reading.signal)
    const lanes = people.letAct(over.signal)
    const file = storeFile(crew.ground.home.data)
    const harms = new Map<string, Harm>()
    for (const [i, kept] of crew.all.entries())
      world.harming.push(
        harm(kept, file, length, seed + 1_000 + i, over.signal).then((done) => harms.set(kept.name, done)),
      )
    const samples = await measureUntil(world, length)
    signal?.throwIfAborted()
    world.log('It comes to rest.')
    await Promise.all(world.harming)
    await reviveAll(crew)
    await settle(world, people, store, lanes)
    samples.push(await measureAtRest(world, length))
    await caughtUp(readers, store, complain)
    reading.abort()
    await people.leave()
    world.log('Everything is ended.')
    for (const kept of crew.all) await kept.end()
    await until(
      'all processes to be gone',
      () => relativesOf(crew.ground.home.data).length === 0,
      20_000,
    ).catch(() => {})
    for (const words of await whatIsBroken(crew.ground, store, said, readers)) complain(words)
    for (const words of crew.discord.fake.unhandled) complain(`Discord does not know ${words}`)
    for (const words of brokenBounds(samples, length)) complain(words)
    return { samples, harms, counts: said.counts, events: (await store.events.bounds()).last }
  } finally {
    reading.abort()
    await store.close()
  }
}

function follow({ crew, complain, seed }: World, people: People, over: AbortSignal): readonly Reader[] {
  const anywhere = (name: string, at: number) =>
    readAnywhere(name, crew.servers, randomFrom(seed + 2_000 + at), complain, over)
  return [
    anywhere('a reader', 1),
    anywhere('another reader', 2),
    readWithClient('a reader with our client', people.bough, complain, over),
  ]
}

async function measureUntil({ crew, over, log }: World, length: Length): Promise<Sample[]> {
  const started = performance.now()
  const samples: Sample[] = []
  for (;;) {
    const at = (performance.now() - started) / 1_000
    if (at >= length.seconds || over.signal.aborted) break
    const sample = await measure(crew.ground, crew.all, at)
    samples.push(sample)
    if (samples.length % 6 === 0) log(`${sample.messages} messages, ${sample.worktrees} worktrees`)
    await waitFor(Math.min(length.measureEvery, length.seconds * 1_000 - at * 1_000), over.signal)
  }
  over.abort()
  return samples
}

async function reviveAll({ all }: Crew): Promise<void> {
  for (const kept of all) {
    kept.signal('SIGCONT')
    if (kept.pid === null) kept.start()
    await kept.ready()
  }
}

/** What people are in the middle of may begin something new: so it comes to rest twice. */
async function settle(
  { complain }: World,
  people: People,
  store: Store,
  lanes: ReturnType<People['letAct']>,
): Promise<void> {
  for (const words of await comeToRest(people.bough, store, restLimit)) complain(words)
  const waiting = new Set(lanes)
  const ended = lanes.map((lane) => lane.ended.then(() => waiting.delete(lane)))
  await Promise.race([Promise.all(ended), pause(restLimit, undefined, { ref: false })])
  for (const { name, doing } of waiting) complain(`${name} hangs in "${doing}"`)
  for (const words of await comeToRest(people.bough, store, restLimit)) complain(words)
}

async function measureAtRest({ crew, complain }: World, { seconds }: Length): Promise<Sample> {
  // A process that has just ended is a zombie until its parent looks.
  const zombies = () => zombiesOf(crew.all.flatMap(({ pid }) => pid ?? []))
  await until('no zombies', () => zombies().length === 0, 5_000).catch(() => {})
  for (const { commandLine, parent } of zombies()) {
    const name = crew.all.find(({ pid }) => pid === parent)?.name
    complain(`${commandLine} is a zombie of the ${name}`)
  }
  const sample = await measure(crew.ground, crew.all, seconds)
  if (sample.agents > 0) complain(`${sample.agents} processes of agents run at rest`)
  return sample
}

async function caughtUp(
  readers: readonly Reader[],
  store: Store,
  complain: World['complain'],
): Promise<void> {
  const { last } = await store.events.bounds()
  for (const { name, seen } of readers) {
    const isThere = () => (seen.at(-1)?.seq ?? 0) >= last
    await until(`${name} to come to the end`, isThere, 30_000).catch((error) =>
      complain(`${error}: it is at ${seen.at(-1)?.seq} of ${last}`),
    )
  }
}

/** Whatever state it is in. Everything of ours has our home in its environment. */
async function endEverything({ ground, discord, all }: Crew): Promise<void> {
  for (const kept of all) kept.signal('SIGCONT')
  for (const kept of all) await kept.kill().catch(() => {})
  for (const { pid } of relativesOf(ground.home.data)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It was quicker.
    }
  }
  await discord.fake.stop()
}
