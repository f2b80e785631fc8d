import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import type { AgentEvent } from '../src/agents/driver.ts'
import { createOfflineDriver } from '../src/agents/offline/offline.ts'
import type { Bough } from '../src/bough.ts'
import type { TreeEvent } from '../src/tree/event.ts'
import type { MessageID, SessionID } from '../src/tree/ids.ts'
import type { Message, Part } from '../src/tree/message.ts'
import type { TurnEvent } from '../src/tree/turn.ts'
import { turnRoutes } from '../src/wire/routes/turns.ts'
import { newHome } from './support/bough.ts'
import { cutProxy } from './support/cut-proxy.ts'
import { allEvents } from './support/damage.ts'
import {
  type Address,
  EventReader,
  isDraft,
  isDropped,
  isLive,
  type Streamed,
} from './support/event-reader.ts'
import { lookInto } from './support/ground.ts'
import { Host } from './support/host.ts'
import { ScriptedAgent } from './support/scripted-agent.ts'
import { connectForTest, serveForTest } from './support/server.ts'
import { ServerProcess } from './support/server-process.ts'
import { count, randomFrom, seed } from './support/size.ts'
import { until } from './support/until.ts'

const total = count(10_000, 600)
const cuts = count(100, 12)
const quick = { drivers: [createOfflineDriver({ pace: 0 })] }
const long = { timeout: count(900_000, 40_000) }

test(
  'Readers that are cut at random and come back with Last-Event-ID see every durable event once, in order',
  long,
  async () => {
    const random = randomFrom(seed())
    const home = await newHome()
    const server = await serveForTest(home, { bough: quick })
    const store = await lookInto(home)
    const { id } = await server.bough.create({ directory: home.project })
    // What happened before anybody read is in the store only.
    await doWork(server.bough, id, random, () => false, total / 20)

    const over = new AbortController()
    onTestFinished(() => over.abort())
    // Twice as often as it has to be, since some pieces are longer than others.
    const readers = [{}, { live: false }, { sessions: [id] }].map((reading) =>
      readInPieces(server, reading, { random, bytes: (total * 150) / cuts, over: over.signal }),
    )
    const isDone = async () => (await store.events.bounds()).last >= total
    await Promise.all([1, 2, 3].map(() => doWork(server.bough, id, random, isDone)))
    const { last } = await store.events.bounds()
    const late = readInPieces(server, {}, { random, bytes: (total * 150) / cuts, over: over.signal })
    for (const { seen } of [...readers, late].filter((_, i) => i !== 2))
      await until('a reader has come to the end', () => (seen.at(-1)?.seq ?? 0) >= last, 60_000)

    // Sessions that nobody uses any more are let go later on, and readers are told of that too.
    const upToLast = (reader: Pieces | undefined) => reader?.seen.filter(({ seq }) => seq <= last)
    const all = await firstEvents(server.bough, last)
    const [whole, durable, filtered] = readers
    expect(upToLast(whole)).toEqual(all)
    expect(upToLast(durable)).toEqual(all)
    expect(upToLast(late)).toEqual(all)
    const mine = all.filter(({ sessionID }) => sessionID === id)
    const hasAll = () => upToLast(filtered)?.length === mine.length
    await until('the reader of one session has come to the end', hasAll)
    expect(upToLast(filtered)).toEqual(mine)
    for (const reader of [whole, durable]) expect(reader?.cuts).toBeGreaterThanOrEqual(cuts)
    expect(all.length).toBeGreaterThanOrEqual(total)
    for (const kind of ['turn.ended', 'session.created', 'message.added'])
      expect(all.filter((event) => event.kind === kind).length, kind).toBeGreaterThan(total / 100)
    over.abort()
    expect(server.faults).toEqual([])
  },
)

test(
  'Who comes back in the middle of a message gets one draft, and what follows goes on exactly there',
  long,
  async () => {
    const random = randomFrom(seed())
    const home = await newHome()
    const agent = new ScriptedAgent('scripted', () => chatter(random))
    const server = await serveForTest(home, { bough: { drivers: [agent.driver] } })
    const { id } = await server.bough.create({ directory: home.project })
    const over = new AbortController()
    onTestFinished(() => over.abort())
    const readers = Array.from({ length: 5 }, (_, i) =>
      watchInPieces(server, i % 2 === 0 ? {} : { sessions: [id] }, {
        random,
        over: over.signal,
        isCut: i > 0,
      }),
    )
    let drafts = 0
    for (let i = 0; i < count(60, 6); i++) {
      const running = await server.bough.send(id, `Prompt ${i}`)
      const messages = []
      for await (const event of running.events) if (event.type === 'message') messages.push(event.message)
      const last = messages.at(-1)?.id
      for (const { connections, seen } of readers) {
        await until('a reader has seen the turn end', () => seen.has(running.id))
        for (const { id: messageID, parts } of messages)
          for (const connection of connections) {
            const shown = connection.shown.get(messageID)
            // One that was cut has the beginning; one that was there to the end has all of it.
            if (shown && connection.isOver)
              expect(isBeginning(shown, parts), JSON.stringify([shown, parts])).toBe(true)
            else if (shown)
              await until('the rest of the message', () => same(connection.shown.get(messageID), parts))
          }
        drafts += connections.flatMap(({ drafts: each }) => each).length
        if (!last) throw new Error('It said nothing.')
        connections.splice(0, connections.length - 1)
      }
      // Who was never away has been told all of it, but for what was there at once.
      const [faithful] = readers
      for (const { id: messageID, role, parts } of messages)
        if (role === 'assistant' && parts.length > 1)
          expect(faithful?.connections[0]?.shown.get(messageID)).toEqual(parts)
      for (const { connections } of readers) connections[0]?.shown.clear()
    }
    expect(drafts, 'some came in the middle of a message').toBeGreaterThan(count(60, 1))
    over.abort()
    expect(server.faults).toEqual([])
  },
)

test('A turn of another process is live, too', async () => {
  const { project, ...home } = await newHome()
  const server = await serveForTest({ ...home, project })
  const host = await Host.open(home)
  const { sessionID } = await host.create(project)
  const first = EventReader.open(server)
  await first.sees('where it begins', (event): event is Streamed => event.kind === 'open')
  const hosted = host.send(sessionID, 'words 300')
  await first.sees('words', isLive)
  const second = EventReader.open(server, { sessions: [sessionID] })
  await second.sees('a draft', isDraft)
  expect(await hosted.ended()).toMatchObject({ outcome: 'finished' })
  const answer = (await server.bough.messages(sessionID)).at(-1)
  if (!answer) throw new Error('It said nothing.')
  for (const reader of [first, second]) {
    await until('a reader has all of it', () => same(shownIn(reader.events, answer.id), answer.parts))
    expect(reader.events.filter(isLive).length).toBeGreaterThan(1)
  }
  expect([first, second].map(({ events }) => events.filter(isDraft).length)).toEqual([0, 1])
})

// Megabytes: enough to fill the buffers of the system, and far more than may wait for a reader.
const flood = count(24, 10)

test(
  'A reader that takes nothing slows no turn, is dropped with a reason, costs little, and can come back',
  long,
  async () => {
    const home = await newHome()
    const server = await ServerProcess.start(home, { project: home.project })
    const bough = await connectForTest(server)
    const { id } = await bough.create({ directory: home.project, agent: 'flood' })
    await (await bough.send(id, '1')).ended
    const before = (await server.measure()).used

    const openStuck = () => {
      const reader = EventReader.open(server, { after: 0 })
      reader.pause()
      return reader
    }
    const comesBack = openStuck()
    await until('it to be the first', async () => (await server.measure()).streams.length === 1)
    openStuck()
    openStuck()
    const { id: turnID } = await post(server, id, String(flood))
    let most = 0
    await until(
      'the first to be given up',
      async () => {
        const { streams } = await server.measure()
        most = Math.max(most, ...streams.map(({ waiting }) => waiting))
        return streams[0]?.isEnded ?? false
      },
      120_000,
    )
    comesBack.resume()
    expect((await comesBack.sees('why it was dropped', isDropped)).reason).toMatch(/Last-Event-ID/)
    await comesBack.over

    const turn = await bough.follow(id, turnID)
    expect(await turn?.ended).toMatchObject({ outcome: 'finished' })
    expect(most, 'bytes that wait for one of them').toBeLessThan(1_300_000)
    // Two of them are still stuck; what follows a turn may hold it for a moment.
    await until('little more is in use', async () => (await server.measure()).used - before < 12_000_000)
    const again = EventReader.open(server, { after: comesBack.lastID })
    const { last } = await (await lookInto(home)).events.bounds()
    await again.sees('the newest', (event): event is Streamed => 'seq' in event && event.seq >= last)
    const seen = [...comesBack.durable, ...again.durable]
    expect(seen).toEqual(await allEvents(await lookInto(home)).then((all) => all.slice(0, seen.length)))
    expect(server.program.complaints).toBe('')
  },
)

test(
  'Who runs a turn and does not read it does not slow it, and costs little when it has left',
  long,
  async () => {
    const home = await newHome()
    const server = await ServerProcess.start(home, { project: home.project })
    const bough = await connectForTest(server)
    const sessions = await Promise.all(
      [1, 2, 3].map(() => bough.create({ directory: home.project, agent: 'flood' })),
    )
    await Promise.all(sessions.map(async ({ id }) => (await bough.send(id, '1')).ended))
    const before = (await server.measure()).used
    const stuck = await Promise.all(sessions.map(({ id }) => postAndStop(server, id, String(flood))))
    for (const { id } of sessions)
      await until('the turn is over', async () => (await bough.session(id)).state !== 'running', 120_000)
    const during = await server.measure()
    expect(stuck.every((response) => !response.complete)).toBe(true)
    for (const { waiting } of during.streams) expect(waiting).toBeLessThan(1_300_000)
    // What is still to be told is held: as much as the turns have said, and not more than that.
    expect(during.used - before).toBeLessThan(sessions.length * flood * 3_000_000)
    for (const response of stuck) response.destroy()
    await until('what they held is free', async () => (await server.measure()).used - before < 12_000_000)
    expect(server.program.complaints).toBe('')
  },
)

test('The events of the client go on over cuts, gap-free', long, async () => {
  const random = randomFrom(seed())
  const home = await newHome()
  const server = await serveForTest(home, { bough: quick, names: ['127.0.0.1'] })
  const proxy = await cutProxy(server.url)
  const bough = await connectForTest({ ...server, url: proxy.url })
  const store = await lookInto(home)
  const { id } = await server.bough.create({ directory: home.project })
  const over = new AbortController()
  onTestFinished(() => over.abort())
  const seen: unknown[] = []
  const reading = (async () => {
    for await (const event of bough.events({ after: 0, signal: over.signal })) seen.push(event)
  })()
  let broken = 0
  const goal = count(2000, 120)
  const isDone = async () => (await store.events.bounds()).last >= goal
  const breaking = (async () => {
    while (!(await isDone())) {
      const known = seen.length
      await until('it has gone on', async () => seen.length > known + random() * 20 || (await isDone()))
      proxy.cut()
      broken++
    }
  })()
  await Promise.all([doWork(server.bough, id, random, isDone), breaking])
  const { last } = await store.events.bounds()
  await until('it has seen all', () => seen.length >= last)
  over.abort()
  await reading
  expect(seen).toEqual(await firstEvents(server.bough, last))
  expect(broken).toBeGreaterThan(3)
})

test('A turn of the client goes on over cuts, and tells nothing twice', long, async () => {
  const random = randomFrom(seed())
  const home = await newHome()
  const agent = new ScriptedAgent('scripted', () => chatter(random))
  const server = await serveForTest(home, { bough: { drivers: [agent.driver] }, names: ['127.0.0.1'] })
  const proxy = await cutProxy(server.url)
  const bough = await connectForTest({ ...server, url: proxy.url })
  const { id } = await server.bough.create({ directory: home.project })
  for (let i = 0; i < count(40, 5); i++) {
    const remote = await bough.send(id, `Prompt ${i}`)
    const here = await server.bough.follow(id, remote.id)
    const told: TurnEvent[] = []
    for await (const event of remote.events) {
      told.push(event)
      if (told.length % 7 === 3 && random() < 0.6) proxy.cut()
    }
    expect(await remote.ended).toEqual({ outcome: 'finished', reason: null })
    const expected = here ? await Array.fromAsync(here.events) : []
    expect(whole(told)).toEqual(whole(expected))
  }
})

test('The events and the turns of the client go on over a restart of the server', long, async () => {
  const home = await newHome()
  const first = await ServerProcess.start(home, { project: home.project, pace: 5 })
  const { token, project } = first
  const bough = await connectForTest(first)
  const store = await lookInto(home)
  const { id } = await bough.create({ directory: project })
  const over = new AbortController()
  onTestFinished(() => over.abort())
  const seen: unknown[] = []
  const reading = (async () => {
    for await (const event of bough.events({ after: 0, signal: over.signal })) seen.push(event)
  })()
  const turn = await bough.send(id, 'words 100000')
  const told = turn.events[Symbol.asyncIterator]()
  for (let texts = 0; texts < 5; ) texts += (await told.next()).value?.type === 'text' ? 1 : 0
  await first.program.kill()
  await ServerProcess.start(home, { project, token, port: Number(new URL(first.url).port) })
  expect(await turn.ended).toMatchObject({ outcome: 'interrupted' })
  const all = await Array.fromAsync(turn.events)
  const stored = await bough.messages(id)
  // Snapshots are noted at a message when it has been told already.
  expect(all.flatMap((event) => (event.type === 'message' ? [wordsOf(event.message)] : []))).toEqual(
    stored.map(wordsOf),
  )
  await (await bough.send(id, 'Are you there?')).ended
  const { last } = await store.events.bounds()
  await until('it has seen all', () => seen.length >= last)
  over.abort()
  await reading
  expect(seen.slice(0, last)).toEqual((await allEvents(store)).slice(0, last))
})

interface Pieces {
  /** Durable events, in the order in which they came. */
  readonly seen: readonly TreeEvent[]
  readonly cuts: number
}

/** Reads, is cut after so many bytes or twice as many, comes back with the last number, and so on. */
function readInPieces(
  address: Address,
  reading: { readonly live?: boolean; readonly sessions?: readonly string[] },
  {
    random,
    bytes,
    over,
  }: { readonly random: () => number; readonly bytes: number; readonly over: AbortSignal },
): Pieces {
  const pieces = { seen: [] as TreeEvent[], cuts: 0 }
  const go = async () => {
    for (let after = 0; !over.aborted; ) {
      const onEvent = (event: Streamed) => void ('at' in event && pieces.seen.push(event))
      const reader = new EventReader(address, { ...reading, after, onEvent, cutAfter: random() * bytes })
      const leave = () => reader.cut()
      over.addEventListener('abort', leave)
      await reader.over
      over.removeEventListener('abort', leave)
      if (reader.events.some(({ kind }) => kind === 'reset')) throw new Error('It was told to load afresh.')
      after = reader.lastID ?? after
      pieces.cuts++
    }
  }
  void go()
  return pieces
}

/** One connection of a reader: what it was shown of messages, by drafts and what streams. */
interface Connection {
  readonly shown: Map<MessageID, readonly Part[]>
  readonly drafts: MessageID[]
  isOver: boolean
}

interface Watching {
  readonly connections: Connection[]
  /** Turns whose end it has seen. */
  readonly seen: ReadonlySet<string>
}

function watchInPieces(
  address: Address,
  reading: { readonly sessions?: readonly string[] },
  {
    random,
    over,
    isCut,
  }: { readonly random: () => number; readonly over: AbortSignal; readonly isCut: boolean },
): Watching {
  const connections: Connection[] = []
  const seen = new Set<string>()
  const go = async () => {
    for (let after = 0; !over.aborted; ) {
      const connection: Connection = { shown: new Map(), drafts: [], isOver: false }
      connections.push(connection)
      let left = isCut ? 1 + Math.floor(random() * 25) : Number.POSITIVE_INFINITY
      const onEvent = (event: Streamed, self: EventReader) => {
        if (connection.isOver) return
        if (event.kind === 'turn.ended') seen.add(event.subjectID)
        if (isDraft(event)) connection.drafts.push(event.draft.messageID)
        show(connection.shown, event)
        left -= 1
        if (left > 0) return
        connection.isOver = true
        self.cut()
      }
      const reader = new EventReader(address, { ...reading, after, onEvent })
      const leave = () => reader.cut()
      over.addEventListener('abort', leave)
      await reader.over
      over.removeEventListener('abort', leave)
      connection.isOver = true
      after = reader.lastID ?? after
    }
  }
  void go()
  return { connections, seen }
}

function show(shown: Map<MessageID, readonly Part[]>, event: Streamed): void {
  if (isDraft(event)) {
    const { messageID, parts } = event.draft
    if (shown.has(messageID)) throw new Error('A draft came of what was shown already.')
    shown.set(messageID, parts)
  }
  if (!isLive(event) || !('messageID' in event.event)) return
  const { messageID } = event.event
  shown.set(messageID, withEvent(shown.get(messageID) ?? [], event.event))
}

function shownIn(events: readonly Streamed[], messageID: MessageID): readonly Part[] | undefined {
  const shown = new Map<MessageID, readonly Part[]>()
  for (const event of events) show(shown, event)
  return shown.get(messageID)
}

function withEvent(parts: readonly Part[], event: TurnEvent): readonly Part[] {
  if (event.type === 'tool-call') return [...parts, event.call]
  if (event.type === 'tool-result') return [...parts, event.result]
  if (event.type !== 'text' && event.type !== 'reasoning') return parts
  const last = parts.at(-1)
  return last?.type === event.type
    ? [...parts.slice(0, -1), { type: event.type, text: last.text + event.text }]
    : [...parts, { type: event.type, text: event.text }]
}

/** What a turn told, with the pieces of its texts put together. */
function whole(events: readonly TurnEvent[]): readonly TurnEvent[] {
  const together: TurnEvent[] = []
  for (const event of events) {
    const last = together.at(-1)
    if (event.type === 'text' && last?.type === 'text' && last.messageID === event.messageID)
      together[together.length - 1] = { ...last, text: last.text + event.text }
    else if (event.type === 'reasoning' && last?.type === 'reasoning' && last.messageID === event.messageID)
      together[together.length - 1] = { ...last, text: last.text + event.text }
    // A snapshot is noted at a message when that has been told already.
    else if (event.type === 'message')
      together.push({ ...event, message: { ...event.message, snapshot: null } })
    else together.push(event)
  }
  return together
}

const same = (a: readonly Part[] | undefined, b: readonly Part[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

function isBeginning(shown: readonly Part[], parts: readonly Part[]): boolean {
  const [last, of] = [shown.at(-1), parts[shown.length - 1]]
  if (!same(shown.slice(0, -1), parts.slice(0, shown.length - 1))) return false
  if (!last || !of) return shown.length === 0
  return 'text' in last && 'text' in of && last.type === of.type
    ? of.text.startsWith(last.text)
    : same([last], [of])
}

const odd = ['a', 'bc ', '\n', '\n\ndata: x\n\n', '🌳', '\u2028', 'é', '"', '\\']

/** Says things in pieces, now at once and now after others had their turn; thinks and calls a tool in between. */
async function* chatter(random: () => number): AsyncGenerator<AgentEvent> {
  const some = () => odd[Math.floor(random() * odd.length)] ?? ''
  const messages = 1 + Math.floor(random() * 3)
  for (let m = 0; m < messages; m++) {
    const callID = crypto.randomUUID()
    for (let i = 0; i < 25; i++) {
      // A text of its own first and last: so that each message has more than one part.
      const type = i < 3 ? 'reasoning' : i < 6 || random() < 0.8 ? 'text' : 'reasoning'
      yield { type, text: some() + some() }
      if (random() < 0.4) await new Promise((resolve) => setImmediate(resolve))
      if (i === 10 || random() < 0.1) await new Promise((resolve) => setTimeout(resolve, random() * 4))
    }
    yield { type: 'tool-call', callID, name: 'look', args: { m } }
    yield { type: 'message-finished' }
    yield { type: 'tool-result', callID, name: 'look', output: some(), exitCode: 0 }
    yield { type: 'message-finished' }
  }
  yield { type: 'text', text: 'done' }
  yield { type: 'message-finished' }
  yield { type: 'turn-finished', reason: 'done' }
}

/** Turns, forks and changes, until it is enough. */
async function doWork(
  bough: Bough,
  first: SessionID,
  random: () => number,
  isDone: () => boolean | Promise<boolean>,
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  const own = [first]
  for (let i = 0; i < most && !(await isDone()); i++) {
    const id = own[Math.floor(random() * own.length)] ?? first
    const chance = random()
    const message = chance < 0.15 ? await anyMessage(bough, first) : null
    if (message) own.push((await bough.fork(first, { files: 'same', messageID: message })).id)
    else if (chance < 0.25) await (await bough.send(id, `words ${1 + Math.floor(random() * 20)}`)).ended
    else await bough.change(id, { title: `Title ${random()}` })
  }
}

/** A message that is finished, also while a turn runs. */
async function anyMessage(bough: Bough, id: SessionID): Promise<MessageID | null> {
  const [first] = await bough.messages(id, { limit: 50 })
  return first?.id ?? null
}

const wordsOf = ({ id, role, status, parts }: Message) => ({ id, role, status, parts })

/** As the embedded bough tells of them. */
async function firstEvents(bough: Bough, last: number): Promise<readonly TreeEvent[]> {
  const events: TreeEvent[] = []
  for await (const event of bough.events({ after: 0, signal: new AbortController().signal })) {
    if (event.kind !== 'reset') events.push(event)
    if (event.seq >= last) break
  }
  return events
}

/** Runs a turn, and does not wait for it. */
async function post({ url, token }: Address, id: SessionID, text: string): Promise<{ id: `trn_${string}` }> {
  const response = await fetch(`${url}/session/${id}/message`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  })
  expect(response.status).toBe(202)
  return { id: turnRoutes.send.result.parse(await response.json()).turnID }
}

/** Runs a turn to read it, and then does not read. */
async function postAndStop({ url, token }: Address, id: SessionID, text: string): Promise<IncomingMessage> {
  const sent = request(`${url}/session/${id}/message`, {
    method: 'POST',
    agent: false,
    headers: {
      ...{ accept: 'text/event-stream', authorization: `Bearer ${token}` },
      'content-type': 'application/json',
    },
  })
  onTestFinished(() => void sent.destroy())
  sent.on('error', () => {})
  sent.end(JSON.stringify({ text }))
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (!response) throw new Error('It was not answered.')
  response.on('error', () => {})
  response.pause()
  return response
}
