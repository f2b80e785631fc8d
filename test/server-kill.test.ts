import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Bough } from '../src/bough.ts'
import { connect } from '../src/client/connect.ts'
import { findHome, type Home } from '../src/home.ts'
import { storeFile } from '../src/store/open.ts'
import type { Store } from '../src/store/store.ts'
import { BoughError, hasCode } from '../src/tree/error.ts'
import type { TreeEvent } from '../src/tree/event.ts'
import type { MessageID, SessionID, TurnID } from '../src/tree/ids.ts'
import type { TurnEnd } from '../src/tree/turn.ts'
import { turnRoutes } from '../src/wire/routes/turns.ts'
import { commitAll, person, put } from '../src/workspace/testing/ground.ts'
import { allEvents, damageIn } from './support/damage.ts'
import { type Address, EventReader, type Streamed } from './support/event-reader.ts'
import { lookInto } from './support/ground.ts'
import { createWorld, type Running, type World } from './support/run-bough.ts'
import { count, randomFrom, seed } from './support/size.ts'
import { until } from './support/until.ts'

const kills = count(50, 4)

/** What somebody was told is done. */
interface Acknowledged {
  readonly sessions: Map<SessionID, { readonly forkPoint: MessageID | null }>
  readonly prompts: Map<MessageID, { readonly sessionID: SessionID; readonly text: string }>
  readonly turns: Set<TurnID>
  /** Turns that are followed by the client. */
  readonly ends: Promise<TurnEnd>[]
}

// The store stays the same all the time: what one kill damages, the rounds after it meet.
test('A server killed under load and started again on its port has lost nothing, hangs in nothing, and its readers go on', {
  timeout: kills * 40_000,
}, async () => {
  const random = randomFrom(seed())
  const world = createWorld()
  person(world.project, 'init', '-q', '-b', 'main')
  put(world.project, { 'a.txt': 'a\n' })
  commitAll(world.project)
  const home = findHome(world.env)
  const token = crypto.randomUUID()
  let server = await start(world, token, 0)
  const address = { url: server.url, token }
  const { port } = new URL(server.url)
  const store = await lookInto(home)
  const bough = await connect(address)
  onTestFinished(() => bough.close())
  const known: Acknowledged = { sessions: new Map(), prompts: new Map(), turns: new Set(), ends: [] }
  const main = await bough.create({ agent: 'offline', directory: world.project })
  known.sessions.set(main.id, main)

  const over = new AbortController()
  onTestFinished(() => over.abort())
  const readers = [
    readOver(address, over.signal, {}),
    readOver(address, over.signal, { live: false }),
    readOver(address, over.signal, { sessions: [main.id] }),
    readWithClient(bough, over.signal),
  ]
  let interrupted = 0

  for (let kill = 1; kill <= kills; kill++) {
    const after = `after kill ${kill}`
    const load = new AbortController()
    const lanes = (['post', 'post', 'stream', 'stream', 'fork', 'worktree'] as const).map((what) =>
      work({ what, bough, address, known, random, over: load.signal }),
    )
    await someWork(known, Math.floor(random() * 20), random() * 150)
    server.running.child.kill('SIGKILL')
    load.abort()
    expect((await Promise.all(lanes)).flat(), 'nothing but the kill went wrong').toEqual([])
    const { stderr } = await server.ended
    expect(stderr, after).toBe('')
    server = await start(world, token, Number(port))

    await until(`every turn is closed ${after}`, async () => (await runningIn(store)).length === 0)
    const ends = await Promise.all(known.ends.splice(0))
    interrupted += ends.filter(({ outcome }) => outcome === 'interrupted').length
    expect(ends.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    expect(await lostOf(known, store), after).toEqual([])
    await until(`no fork is half made ${after}`, async () => (await halfMade(world, store)).length === 0)
    expect(await damageIn(store), after).toEqual([])
    expect(integrityOf(home), after).toEqual(['ok'])
    // Whatever ran when it was killed: there is room for the next prompt.
    for (const id of [main.id, ...anyOf([...known.sessions.keys()], random)])
      expect(await (await bough.send(id, `Still there ${after}?`)).ended).toMatchObject({
        outcome: 'finished',
      })

    const { last } = await store.events.bounds()
    for (const { seen } of readers.filter((_, i) => i !== 2))
      await until(`a reader has come to the end ${after}`, () => (seen.at(-1)?.seq ?? 0) >= last)
  }

  const all = await allEvents(store)
  const mine = all.filter(({ sessionID }) => sessionID === main.id)
  for (const [i, { seen }] of readers.entries())
    expect(seen).toEqual((i === 2 ? mine : all).slice(0, seen.length))
  for (const event of readers[0]?.seen ?? [])
    if (event.kind === 'message.added')
      expect((await store.messages.get(event.subjectID))?.sessionID, 'a message that was told').toBe(
        event.sessionID,
      )
  const figures = {
    ...{ kills, interrupted, turns: known.turns.size, sessions: known.sessions.size, events: all.length },
    connections: readers[0]?.connections,
  }
  console.log(JSON.stringify(figures))
  expect(figures.turns).toBeGreaterThan(kills)
  expect(figures.sessions).toBeGreaterThan(kills)
  expect(interrupted).toBeGreaterThan(kills / 4)
  expect(figures.connections).toBeGreaterThanOrEqual(kills)
  over.abort()
})

interface Started {
  readonly url: string
  readonly running: Running
  readonly ended: Running['ended']
}

/** The real program. */
async function start(world: World, token: string, port: number): Promise<Started> {
  const running = world.start(['serve', '--port', String(port)], { env: { BOUGH_TOKEN: token } })
  onTestFinished(() => void running.child.kill('SIGKILL'))
  let printed = ''
  running.child.stdout?.on('data', (text: string) => {
    printed += text
  })
  await running.shows('Its token is')
  const url = /http:\S+/.exec(printed)?.[0]
  if (!url) throw new Error(`It says nothing of its address: ${printed}`)
  return { url, running, ended: running.ended }
}

interface Lane {
  readonly what: 'post' | 'stream' | 'fork' | 'worktree'
  readonly bough: Bough
  readonly address: Address
  readonly known: Acknowledged
  readonly random: () => number
  readonly over: AbortSignal
}

/** Does one kind of thing again and again until the server is gone; what went wrong before that. */
async function work(lane: Lane): Promise<readonly string[]> {
  while (!lane.over.aborted) {
    try {
      await act(lane)
    } catch (error) {
      if (hasCode(error, 'server_unreachable')) return []
      // A turn runs there just now.
      if (!hasCode(error, 'session_busy') && !hasCode(error, 'message_unfinished')) return [String(error)]
    }
  }
  return []
}

async function act({ what, bough, address, known, random }: Lane): Promise<void> {
  const [id] = anyOf([...known.sessions.keys()], random)
  if (!id) return
  const text = `Prompt ${random()}\nwords ${5 + Math.floor(random() * 40)}`
  switch (what) {
    case 'post': {
      const { messageID, turnID } = await post(address, id, text)
      known.prompts.set(messageID, { sessionID: id, text })
      known.turns.add(turnID)
      return
    }
    case 'stream': {
      const turn = await bough.send(id, text)
      known.prompts.set(turn.prompt.id, { sessionID: id, text })
      known.turns.add(turn.id)
      known.ends.push(turn.ended)
      return
    }
    default: {
      const [at] = anyOf([...known.prompts], random)
      if (!at) return void (await pause(10))
      const [messageID, { sessionID }] = at
      const files = what === 'fork' ? 'same' : 'worktree'
      const fork = await bough.fork(sessionID, { messageID, files })
      known.sessions.set(fork.id, fork)
    }
  }
}

async function post({ url, token }: Address, id: SessionID, text: string) {
  const response = await fetch(`${url}/session/${id}/message`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  })
    .then(async (answer) => ({ status: answer.status, body: await answer.json() }))
    .catch((cause) => {
      throw new BoughError('server_unreachable', 'It is gone.', { cause })
    })
  expect(response).toMatchObject({ status: 202 })
  return turnRoutes.send.result.parse(response.body)
}

function anyOf<T>(items: readonly T[], random: () => number): readonly T[] {
  const at = Math.floor(random() * items.length)
  return items.slice(at, at + 1)
}

/** Resolves when so many things more have been acknowledged, and a moment later. */
async function someWork({ sessions, prompts }: Acknowledged, things: number, moment: number): Promise<void> {
  const before = sessions.size + prompts.size
  await until('some work to be done', () => sessions.size + prompts.size > before + things)
  await pause(moment)
}

interface Reader {
  /** Durable events, in the order in which they came. */
  readonly seen: readonly TreeEvent[]
  readonly connections: number
}

/** Comes back whenever its connection breaks. */
function readOver(
  address: Address,
  over: AbortSignal,
  reading: { readonly live?: boolean; readonly sessions?: readonly string[] },
): Reader {
  const reader = { seen: [] as TreeEvent[], connections: 0 }
  const onEvent = (event: Streamed) => {
    if (event.kind === 'reset') throw new Error('It was told to load afresh.')
    if ('at' in event) reader.seen.push(event)
  }
  const go = async () => {
    for (let after = 0; !over.aborted; ) {
      const connection = new EventReader(address, { ...reading, after, onEvent })
      const leave = () => connection.cut()
      over.addEventListener('abort', leave)
      await connection.over
      over.removeEventListener('abort', leave)
      if (connection.status === 200) reader.connections++
      after = connection.lastID ?? after
      await pause(20)
    }
  }
  void go()
  return reader
}

function readWithClient(bough: Bough, signal: AbortSignal): Reader {
  const seen: TreeEvent[] = []
  const go = async () => {
    for await (const event of bough.events({ after: 0, signal })) {
      if (event.kind === 'reset') throw new Error('It was told to load afresh.')
      seen.push(event)
    }
  }
  void go()
  return { seen, connections: 1 }
}

/** What somebody was told is done, and is not there as they were told. */
async function lostOf({ sessions, prompts, turns }: Acknowledged, store: Store): Promise<readonly unknown[]> {
  const lost: unknown[] = []
  for (const [id, { forkPoint }] of sessions)
    if ((await store.sessions.get(id))?.forkPoint !== forkPoint) lost.push(id)
  for (const [id, { sessionID, text }] of prompts) {
    const message = await store.messages.get(id)
    if (message?.sessionID !== sessionID || message.text !== text) lost.push(id)
  }
  for (const id of turns) if (!(await store.turns.get(id))?.outcome) lost.push(id)
  return lost
}

async function runningIn(store: Store): Promise<readonly unknown[]> {
  const running = []
  for (const { id } of await store.sessions.all())
    running.push(...[await store.turns.running(id)].filter(Boolean))
  return running
}

/** Worktrees that are in the store or in the repository, and not in both. */
async function halfMade({ project }: World, store: Store): Promise<readonly string[]> {
  const workspaces = await store.workspaces.all()
  const ready = new Set(workspaces.filter(({ state }) => state === 'ready').map(({ path }) => path))
  const entries = person(project, 'worktree', 'list', '--porcelain')
    .split('\n')
    .flatMap((line) => /^worktree (.*)/.exec(line)?.[1] ?? [])
    .slice(1)
  const used = new Set((await store.sessions.all()).map(({ directory }) => directory))
  return [
    ...workspaces.filter(({ state }) => state !== 'ready').map(({ path, state }) => `${state} ${path}`),
    ...entries.filter((path) => !ready.has(path)).map((path) => `entry ${path}`),
    ...[...ready].filter((path) => !entries.includes(path)).map((path) => `row ${path}`),
    ...[...ready]
      .filter((path) => ![...used].some((each) => each.startsWith(path)))
      .map((path) => `unused ${path}`),
  ]
}

function integrityOf(home: Home): readonly unknown[] {
  const db = new DatabaseSync(storeFile(home.data), { readOnly: true })
  try {
    return db
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => row.integrity_check)
  } finally {
    db.close()
  }
}
