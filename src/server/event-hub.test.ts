import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { newHome, openForTest } from '../../test/support/bough.ts'
import { allEvents } from '../../test/support/damage.ts'
import {
  type Address,
  EventReader,
  isDraft,
  isDurable,
  isLive,
  isOpen,
  isReset,
  type Streamed,
} from '../../test/support/event-reader.ts'
import { lookInto } from '../../test/support/ground.ts'
import { ScriptedAgent } from '../../test/support/scripted-agent.ts'
import { count } from '../../test/support/size.ts'
import { until } from '../../test/support/until.ts'
import type { Bough } from '../bough.ts'
import { storeFile } from '../store/open.ts'
import { isSessionID, type SessionID } from '../tree/ids.ts'
import type { Turn } from '../tree/turn.ts'
import { EventHub } from './event-hub.ts'
import { EventStream } from './event-stream.ts'

/** A hub behind HTTP, and nothing else of a server. */
async function hubOf(bough: Bough): Promise<Address & { readonly hub: EventHub }> {
  const hub = new EventHub(bough)
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://x')
    const [after, session] = [request.headers['last-event-id'], searchParams.get('session')]
    const stream = EventStream.open(response)
    const reading = hub.read(stream, {
      live: searchParams.get('live') !== 'false',
      ...(after !== undefined && { after: Number(after) }),
      ...(session !== null && { sessions: new Set(session.split(',').filter(isSessionID)) }),
    })
    reading.catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    hub.close()
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${portOf(server.address())}`, token: '', hub }
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('It has no address.')
  return address.port
}

/** An agent that says one piece whenever it is told to. */
function gatedAgent() {
  let gate = Promise.withResolvers<string | null>()
  const agent = new ScriptedAgent('scripted', async function* () {
    for (;;) {
      const text = await gate.promise
      gate = Promise.withResolvers()
      if (text === null) break
      yield { type: 'text', text }
    }
    yield { type: 'message-finished' }
    yield { type: 'turn-finished', reason: 'done' }
  })
  return {
    driver: agent.driver,
    say: (text: string) => gate.resolve(text),
    finish: () => gate.resolve(null),
  }
}

async function newGround() {
  const { project, ...home } = await newHome()
  const agent = gatedAgent()
  const bough = await openForTest(home, { drivers: [agent.driver] })
  const store = await lookInto(home)
  const { id } = await bough.create({ directory: project })
  /** So many events, in one change. */
  const happen = (events: number) =>
    store.transaction(async (tx) => {
      for (let i = 0; i < events; i++) tx.record({ kind: 'session.updated', sessionID: id })
    })
  /** As if they were too old to be kept. */
  const forget = (before: number) => {
    const db = new DatabaseSync(storeFile(home.data))
    db.prepare('DELETE FROM events WHERE seq < ?').run(before)
    db.close()
  }
  const last = async () => (await allEvents(store)).at(-1)?.seq ?? 0
  return { home, project, agent, bough, store, id, happen, forget, last }
}

const numbers = (events: readonly Streamed[]): readonly number[] =>
  events.filter(isDurable).map(({ seq }) => seq)

const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => first + i)

const seesNumber = (reader: EventReader, number: number): Promise<Streamed> =>
  reader.sees(`event ${number}`, (event): event is Streamed => 'seq' in event && event.seq >= number)

const textIn = (events: readonly Streamed[]): string =>
  events
    .map((event) => {
      if (isLive(event)) return event.event.type === 'text' ? event.event.text : ''
      if (isDraft(event)) return event.draft.parts.map((part) => ('text' in part ? part.text : '')).join('')
      return ''
    })
    .join('')

const seesText = (reader: EventReader, text: string): Promise<boolean> =>
  until(`a reader to see "${text}"`, () => textIn(reader.events) === text)

test('who comes without a number is told the newest, and gets what comes after it', async () => {
  const { bough, happen, last } = await newGround()
  const hub = await hubOf(bough)
  const reader = EventReader.open(hub)
  const before = await last()
  expect(await reader.sees('where it begins', isOpen)).toEqual({ kind: 'open', seq: before })
  await happen(3)
  await seesNumber(reader, before + 3)
  expect(numbers(reader.events)).toEqual(range(before + 1, before + 3))
  expect(reader.lastID).toBe(before + 3)
})

test('who comes with a number gets all after it: from the store, from what is at hand, and what comes', async () => {
  const { bough, happen, last } = await newGround()
  await happen(5000)
  const hub = await hubOf(bough)
  const fromStore = EventReader.open(hub, { after: 3 })
  const middle = await last()
  await seesNumber(fromStore, middle)
  await happen(10)
  const atHand = EventReader.open(hub, { after: middle + 4 })
  await seesNumber(atHand, middle + 10)
  await happen(5)
  const end = await last()
  for (const reader of [fromStore, atHand]) await seesNumber(reader, end)
  expect(numbers(fromStore.events)).toEqual(range(4, end))
  expect(numbers(atHand.events)).toEqual(range(middle + 5, end))
  expect([fromStore, atHand].map(({ events }) => events.find(isOpen)?.seq)).toEqual([3, middle + 4])
})

test('who joins in the very moment of an event misses none and gets none twice', async () => {
  const { bough, happen, last } = await newGround()
  const hub = await hubOf(bough)
  const readers: EventReader[] = []
  for (let i = 0; i < count(300, 40); i++) {
    const after = await last()
    const happening = happen(1 + (i % 3))
    readers.push(EventReader.open(hub, i % 2 === 0 ? {} : { after }))
    await happening
  }
  const end = await last()
  for (const reader of readers) {
    await seesNumber(reader, end)
    const first = reader.events[0]
    if (!first || !('seq' in first)) throw new Error('It has no number.')
    expect(numbers(reader.events)).toEqual(range(isOpen(first) ? first.seq + 1 : first.seq, end))
  }
})

test('who joins while thousands of events come in misses none of them', async () => {
  const { bough, happen, last } = await newGround()
  let busy = async () => {}
  const hub = await hubOf({
    ...bough,
    sessions: async (query) => {
      await busy()
      return bough.sessions(query)
    },
  })
  const witness = EventReader.open(hub, { live: false })
  const { seq } = await witness.sees('where it begins', isOpen)
  busy = async () => {
    await happen(9000)
    await seesNumber(witness, await last())
  }
  const reader = EventReader.open(hub, { after: seq })
  await until('it has seen as many', () => numbers(reader.events).length >= 9000)
  expect(numbers(reader.events)).toEqual(range(seq + 1, await last()))
})

test('who asks for some sessions gets their events and no others', async () => {
  const { bough, project, id, happen, last } = await newGround()
  const hub = await hubOf(bough)
  const { id: other } = await bough.create({ directory: project })
  const readers = [[id], [other], [id, other]].map((sessions) =>
    EventReader.open(hub, { sessions, after: 0 }),
  )
  await happen(2)
  await bough.change(other, { title: 'Soup' })
  const all = EventReader.open(hub, { after: 0 })
  await seesNumber(all, await last())
  const of = (...ids: readonly SessionID[]) =>
    numbers(all.durable.filter((each) => ids.includes(each.sessionID)))
  const [one, two, both] = readers
  await until(
    'all of them have what is theirs',
    () => both?.lastID === all.lastID && two?.lastID === all.lastID,
  )
  expect(numbers(one?.events ?? [])).toEqual(of(id))
  expect(numbers(two?.events ?? [])).toEqual(of(other))
  expect(numbers(both?.events ?? [])).toEqual(of(id, other))
})

test('a number that is too old, or from another store, gets a reset, and goes on from there', async () => {
  const { bough, happen, forget, last } = await newGround()
  await happen(20)
  forget(10)
  const hub = await hubOf(bough)
  const kept = EventReader.open(hub, { after: 9 })
  const end = await last()
  const readers = [0, 8, end + 1, end + 1000].map((after) => EventReader.open(hub, { after }))
  for (const reader of readers)
    expect(await reader.sees('a reset', isReset)).toEqual({ kind: 'reset', seq: end })
  await happen(2)
  for (const reader of readers) {
    await seesNumber(reader, end + 2)
    const told = reader.events.filter((event) => !isOpen(event))
    expect(told.map((event) => ('seq' in event ? event.seq : null))).toEqual([end, end + 1, end + 2])
  }
  await seesNumber(kept, end + 2)
  expect([kept.events.some(isReset), numbers(kept.events)]).toEqual([false, range(10, end + 2)])
})

test('a number that the store has, and the hub has not been told of yet, is fine, and what streams is shown at once', async () => {
  const { bough, agent, id, last, happen } = await newGround()
  const held = Promise.withResolvers<void>()
  let isHeld = false
  const hub = await hubOf({
    ...bough,
    events: (options) =>
      (async function* () {
        for await (const event of bough.events(options)) {
          if (isHeld && event.kind !== 'reset') await held.promise
          yield event
        }
      })(),
  })
  const first = EventReader.open(hub)
  await first.sees('where it begins', isOpen)
  isHeld = true
  const running = await bough.send(id, 'Hello')
  agent.say('Good ')
  const after = await last()
  const reader = EventReader.open(hub, { after })
  await seesText(reader, 'Good ')
  held.resolve()
  await happen(1)
  await seesNumber(reader, after + 1)
  agent.finish()
  await running.ended
  await seesNumber(reader, await last())
  expect([reader.events.some(isReset), numbers(reader.events)]).toEqual([
    false,
    range(after + 1, await last()),
  ])
})

test('when the store cannot be read for a moment, readers are let go and can come back without a gap', async () => {
  const { bough, happen, last } = await newGround()
  let fails = false
  const hub = await hubOf({
    ...bough,
    events: (options) =>
      (async function* () {
        for await (const event of bough.events(options)) {
          if (fails) throw new Error('The disk is away.')
          yield event
        }
      })(),
  })
  const reader = EventReader.open(hub, { after: 0 })
  await seesNumber(reader, await last())
  fails = true
  await happen(2)
  await reader.over
  const during = EventReader.open(hub, { after: reader.lastID })
  await during.over
  fails = false
  const again = EventReader.open(hub, { after: reader.lastID })
  await happen(1)
  await seesNumber(again, await last())
  expect([...numbers(reader.events), ...numbers(again.events)]).toEqual(range(1, await last()))
})

test('a turn that runs here is followed piece by piece, not by its drafts', async () => {
  const { bough, agent, id } = await newGround()
  const followed: (Turn | null)[] = []
  const hub = await hubOf({
    ...bough,
    follow: async (...which) => {
      const found = await bough.follow(...which)
      followed.push(found)
      return found
    },
  })
  const reader = EventReader.open(hub)
  await reader.sees('where it begins', isOpen)
  const running = await bough.send(id, 'Hello')
  agent.say('a')
  await seesText(reader, 'a')
  expect(followed).toEqual([running])
  expect(followed[0]).toBe(running)
  agent.finish()
  await running.ended
})

test('a turn that begins while its only reader is still on the way in is live for it', async () => {
  const { bough, agent, id } = await newGround()
  const begun = Promise.withResolvers<void>()
  const onTheWay = Promise.withResolvers<void>()
  const hub = await hubOf({
    ...bough,
    async sessions(query) {
      const found = await bough.sessions(query)
      onTheWay.resolve()
      await begun.promise
      return found
    },
  })
  const witness = EventReader.open(hub, { live: false })
  await witness.sees('where it begins', isOpen)
  const reader = EventReader.open(hub)
  await onTheWay.promise
  const running = await bough.send(id, 'Hello')
  await witness.sees('that it began', (event): event is Streamed => event.kind === 'turn.started')
  begun.resolve()
  agent.say('a')
  await seesText(reader, 'a')
  agent.say('b')
  await seesText(reader, 'ab')
  agent.finish()
  await running.ended
})

test('who wants only what is durable gets neither drafts nor what streams', async () => {
  const { bough, agent, id, last } = await newGround()
  const hub = await hubOf(bough)
  const all = EventReader.open(hub, { after: 0 })
  const running = await bough.send(id, 'Hello')
  agent.say('a')
  await seesText(all, 'a')
  const durable = EventReader.open(hub, { after: 0, live: false })
  agent.say('b')
  await seesText(all, 'ab')
  agent.finish()
  await running.ended
  await seesNumber(durable, await last())
  expect(durable.events.filter((event) => !isDurable(event))).toEqual([{ kind: 'open', seq: 0 }])
})

test('what streams is given to those who asked for its session, or for all', async () => {
  const { bough, agent, project, id, last } = await newGround()
  const { id: other } = await bough.create({ directory: project })
  const hub = await hubOf(bough)
  const [mine, others, all] = [[id], [other], undefined].map((sessions) =>
    EventReader.open(hub, { after: 0, ...(sessions && { sessions }) }),
  )
  if (!mine || !others || !all) throw new Error('There are three.')
  await seesNumber(all, await last())
  const running = await bough.send(id, 'Hello')
  agent.say('a')
  await seesText(all, 'a')
  await seesText(mine, 'a')
  agent.finish()
  await running.ended
  await bough.change(other, { title: 'Soup' })
  await seesNumber(others, await last())
  const told = others.events.filter((event) => !isOpen(event))
  expect(told.every((event) => isDurable(event) && event.sessionID === other)).toBe(true)
})

test('when it is closed, readers are let go, also those that come after that', async () => {
  const { bough, last } = await newGround()
  const hub = await hubOf(bough)
  const reader = EventReader.open(hub, { after: 0 })
  await seesNumber(reader, await last())
  hub.hub.close()
  await reader.over
  await EventReader.open(hub, { after: 0 }).over
})
