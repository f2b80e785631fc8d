import { describe, expect, it } from 'vitest'
import { newHome, openForTest } from '../../test/support/bough.ts'
import { lookInto, newGround } from '../../test/support/ground.ts'
import { Host } from '../../test/support/host.ts'
import { type Sleep, untilAborted } from '../agents/offline/interruptible.ts'
import { createOfflineDriver } from '../agents/offline/offline.ts'
import type { Bough } from '../bough.ts'
import type { Home } from '../home.ts'
import type { Store } from '../store/store.ts'
import { createIds, type MessageID, type SessionID } from '../tree/ids.ts'
import type { NewMessage, Role } from '../tree/message.ts'
import type { Turn, TurnEvent } from '../tree/turn.ts'
import { followTurn } from './follow-turn.ts'

interface Two {
  readonly home: Home
  /** Runs the turns; its agent is held by `sleep 1` until it is released. */
  readonly one: Bough
  /** Has a store of its own, as another process would. */
  readonly two: Bough
  readonly id: SessionID
  release(): void
}

async function newTwo(): Promise<Two> {
  const { project, ...home } = await newHome()
  const gate = Promise.withResolvers<void>()
  const sleep: Sleep = (milliseconds, signal) =>
    milliseconds === 0 ? Promise.resolve() : untilAborted(gate.promise, signal)
  const one = await openForTest(home, { drivers: [createOfflineDriver({ pace: 0, sleep })] })
  const two = await openForTest(home)
  const { id } = await one.create({ directory: project })
  return { home, one, two, id, release: gate.resolve }
}

async function followed(bough: Bough, ...which: Parameters<Bough['follow']>): Promise<Turn> {
  const found = await bough.follow(...which)
  if (!found) throw new Error('There is no such turn.')
  return found
}

/** Reads on until there is one of a kind. */
async function next<K extends TurnEvent['type']>(
  events: AsyncIterator<TurnEvent>,
  type: K,
): Promise<Extract<TurnEvent, { type: K }>> {
  const is = (event: TurnEvent): event is Extract<TurnEvent, { type: K }> => event.type === type
  for (;;) {
    const { done, value } = await events.next()
    if (done) throw new Error(`It ended without ${type}.`)
    if (is(value)) return value
  }
}

const messagesIn = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === 'message' ? [event.message] : []))

const streamed = (events: readonly TurnEvent[], messageID: MessageID): string =>
  events
    .flatMap((event) => (event.type === 'text' && event.messageID === messageID ? [event.text] : []))
    .join('')

const finished = { outcome: 'finished', reason: null }

describe('a turn that runs here', () => {
  it('is given as it is, and is none any more when it is over', async () => {
    const { one, id, release } = await newTwo()
    const running = await one.send(id, 'sleep 1')
    expect(await one.follow(id)).toBe(running)
    expect(await one.follow(id, running.id)).toBe(running)
    release()
    await running.ended
    expect(await one.follow(id)).toBeNull()
  })
})

describe('a turn that runs elsewhere', () => {
  it('is told from its beginning: the prompt, what streams, each message as it is stored, and its end', async () => {
    const { one, two, id, release } = await newTwo()
    const running = await one.send(id, 'write a.txt: hello\nwords 3\nsleep 1\nwords 2')
    const turn = await followed(two, id)
    expect(turn).toMatchObject({ id: running.id, sessionID: id, prompt: { text: running.prompt.text } })
    const events = turn.events[Symbol.asyncIterator]()
    // While the agent is held: what it has said so far is in its draft.
    const { messageID, text } = await next(events, 'text')
    expect('bark twig leaf'.startsWith(text)).toBe(true)
    release()
    expect(await turn.ended).toEqual(finished)

    const all = await Array.fromAsync(turn.events)
    const stored = await one.messages(id)
    expect(messagesIn(all).map((message) => message.id)).toEqual(stored.map((message) => message.id))
    expect(all[0]).toMatchObject({ type: 'message', message: { id: running.prompt.id } })
    expect(all.at(-1)).toEqual({ type: 'ended', end: finished })
    expect(streamed(all, messageID)).toBe(stored.at(-1)?.text)
    expect(all.filter(({ type }) => type === 'tool-call' || type === 'tool-result')).toMatchObject([
      { type: 'tool-call', messageID: stored[1]?.id, call: { name: 'write' } },
      { type: 'tool-result', messageID: stored[2]?.id, result: { exitCode: 0 } },
    ])
    expect(await two.follow(id)).toBeNull()
  })

  it('in another process is told as it goes on, each piece once', async () => {
    const { home, bough, directory } = await newGround()
    const host = await Host.open(home)
    const { sessionID } = await host.create(directory)
    const hosted = host.send(sessionID, 'words 300')
    const { turnID } = await hosted.stored()
    const turn = await followed(bough, sessionID)
    expect(turn.id).toBe(turnID)
    const all = await Array.fromAsync(turn.events)
    const [, answer] = await bough.messages(sessionID)
    if (!answer) throw new Error('It said nothing.')
    expect(streamed(all, answer.id)).toBe(answer.text)
    expect(all.filter(({ type }) => type === 'text').length).toBeGreaterThan(1)
    expect(all.at(-1)).toEqual({ type: 'ended', end: finished })
    expect(await hosted.ended()).toMatchObject(finished)
  })

  it('whose process dies has ended, with what it said so far', async () => {
    const { home, bough, directory } = await newGround()
    const watching = await openForTest(home, { lease: 400 })
    const host = await Host.open(home)
    const { sessionID } = await host.create(directory)
    await host.send(sessionID, 'words 3\nsleep 600').stored()
    const turn = await followed(watching, sessionID)
    const reading = Array.fromAsync(turn.events)
    await next(turn.events[Symbol.asyncIterator](), 'text')
    await host.program.kill()
    const end = await turn.ended
    expect(end).toMatchObject({ outcome: 'interrupted', reason: expect.any(String) })
    const all = await reading
    const stored = await bough.messages(sessionID)
    expect(messagesIn(all).map((message) => message.id)).toEqual(stored.map((message) => message.id))
    expect(streamed(all, stored[1]?.id ?? 'msg_')).toBe(stored[1]?.text)
    expect(all.at(-1)).toEqual({ type: 'ended', end })
  })

  it('is told once where it goes on between two reads', async () => {
    const store = await lookInto(await newHome())
    const ids = createIds(Date.now, (length) => crypto.getRandomValues(new Uint8Array(length)))
    const [sessionID, id, promptID] = [ids.session(), ids.turn(), ids.message()]
    const said = (role: Role, messageID: MessageID, text: string): NewMessage => ({
      ...{ id: messageID, role, parts: [{ type: 'text', text }], status: 'complete', created: 1 },
    })
    const [first, second] = [ids.message(), ids.message()]
    await store.transaction(async (tx) => {
      await tx.sessions.insert({
        ...{ id: sessionID, parentID: null, forkPoint: null, title: 'T', titled: true, agent: 'offline' },
        ...{ model: null, directory: '/', kind: 'root', labels: [], created: 1 },
      })
      await tx.messages.append(sessionID, [said('user', promptID, 'go')])
      await tx.turns.insert({ id, sessionID, promptID, started: 1 })
      const parts = [{ type: 'text', text: 'One' } as const]
      await tx.turns.saveDraft(id, { messageID: first, role: 'assistant', parts })
    })
    const turn = await followTurn(store, new AbortController().signal, sessionID)
    // Right after the draft was read, it becomes a message, another one joins it, and the next turn begins.
    const { get } = store.turns
    store.turns.get = async (...of) => {
      store.turns.get = get
      const found = await get(...of)
      await store.transaction(async (tx) => {
        const both = [said('assistant', first, 'One two'), said('assistant', second, 'Three')]
        await tx.messages.append(sessionID, both)
        await tx.turns.end(id, { outcome: 'finished', reason: null }, 2)
        await tx.messages.append(sessionID, [said('user', ids.message(), 'on')])
      })
      return found
    }
    expect(await Array.fromAsync(turn?.events ?? [])).toMatchObject([
      { type: 'message', message: { id: promptID } },
      { type: 'text', messageID: first, text: 'One two' },
      { type: 'message', message: { id: first } },
      { type: 'text', messageID: second, text: 'Three' },
      { type: 'message', message: { id: second } },
      { type: 'ended', end: finished },
    ])
  })

  it('tells what it asks, after the call that it asks for', async () => {
    const { one, two, id } = await newTwo()
    await one.send(id, 'run true')
    const turn = await followed(two, id)
    const events = turn.events[Symbol.asyncIterator]()
    await next(events, 'tool-call')
    const { permission } = await next(events, 'permission')
    expect(permission).toMatchObject({ sessionID: id, turnID: turn.id, tool: 'run', state: 'asked' })
    await two.answer(permission.id, { allow: true })
    expect((await next(events, 'tool-result')).result.exitCode).toBe(0)
    expect((await next(events, 'ended')).end).toEqual(finished)
    const asked = (await Array.fromAsync(turn.events)).filter(({ type }) => type === 'permission')
    expect(asked).toHaveLength(1)
  })

  it('has ended for whoever watches when its session is deleted', async () => {
    const { one, two, id } = await newTwo()
    await one.send(id, 'sleep 1')
    const turn = await followed(two, id)
    const ended = turn.ended
    await one.remove(id)
    expect(await ended).toMatchObject({ outcome: 'interrupted' })
    await expect(two.follow(id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('lets go of whoever watches when bough is closed here, and goes on', async () => {
    const { home, one, id, release } = await newTwo()
    const running = await one.send(id, 'sleep 1')
    const here = await openForTest(home)
    const turn = await followed(here, id)
    const reading = Array.fromAsync(turn.events)
    const { ended } = turn
    await here.close()
    const end = { outcome: 'interrupted', reason: expect.stringContaining('bough was closed here') }
    expect([await ended, (await reading).at(-1)]).toEqual([end, { type: 'ended', end }])
    release()
    expect(await running.ended).toEqual(finished)
  })
})

describe('a turn that is over', () => {
  it('is told by its name: its own messages, and none of the next turn', async () => {
    const { one, two, id } = await newTwo()
    const first = await one.send(id, 'write a.txt: hello')
    await first.ended
    const last = await one.send(id, 'fail It is too late.')
    await last.ended
    const stored = await one.messages(id)
    for (const bough of [one, two]) {
      const all = await Array.fromAsync((await followed(bough, id, first.id)).events)
      expect(messagesIn(all)).toEqual(stored.slice(0, 4))
      expect(all.at(-1)).toEqual({ type: 'ended', end: finished })
    }
    const failed = await followed(two, id, last.id)
    expect(await failed.ended).toEqual({ outcome: 'failed', reason: 'It is too late.' })
    expect(messagesIn(await Array.fromAsync(failed.events))).toEqual(stored.slice(4))
  })

  it('is told whole, however much it did', async () => {
    const { one, two, id } = await newTwo()
    const long = await one.send(id, Array.from({ length: 60 }, (_, i) => `read ${i}.txt`).join('\n'))
    await long.ended
    const stored = await one.messages(id)
    await (await one.send(id, 'on')).ended
    expect(stored.length).toBeGreaterThan(100)
    const all = await Array.fromAsync((await followed(two, id, long.id)).events)
    expect(messagesIn(all)).toEqual(stored)
    expect(all.filter(({ type }) => type === 'tool-call')).toHaveLength(60)
  })
})

describe('who watches a turn', () => {
  /** A turn that is held, and how many watch the store for it. */
  async function newWatched() {
    const two = await newTwo()
    const running = await two.one.send(two.id, 'words 3\nsleep 1\nwords 2')
    const store = await lookInto(two.home)
    const watching = countWatching(store)
    const closing = new AbortController()
    const turn = await followTurn(store, closing.signal, two.id)
    if (!turn) throw new Error('There is no turn.')
    return { ...two, running, turn, watching, closing }
  }

  function countWatching(store: Store): { now: number } {
    const watch = store.watch.bind(store)
    const watching = { now: 0 }
    store.watch = (listener) => {
      const stop = watch(listener)
      watching.now += 1
      return () => {
        watching.now -= 1
        stop()
      }
    }
    return watching
  }

  it('costs nothing before they look, nor when the turn is over', async () => {
    const { turn, watching, release } = await newWatched()
    expect(watching.now).toBe(0)
    const { ended } = turn
    expect(watching.now).toBe(1)
    release()
    await ended
    expect(watching.now).toBe(0)
  })

  it('may leave at any time, also while nothing happens, and then nobody looks any more', async () => {
    const { turn, watching } = await newWatched()
    const [first, second] = [turn.events[Symbol.asyncIterator](), turn.events[Symbol.asyncIterator]()]
    await Promise.all([next(first, 'text'), next(second, 'text')])
    expect(watching.now).toBe(1)
    await first.return?.()
    await first.return?.()
    expect(watching.now).toBe(1)
    // It is held: there is nothing more to say.
    const waiting = Array.fromAsync({ [Symbol.asyncIterator]: () => second })
    await second.return?.()
    await waiting
    expect(watching.now).toBe(0)
  })

  it('may come back: they are told from the beginning, and nothing twice', async () => {
    const { one, id, turn, watching, release, running } = await newWatched()
    for await (const event of turn.events) if (event.type === 'text') break
    expect(watching.now).toBe(0)
    release()
    await running.ended
    const [all, again] = await Promise.all([Array.fromAsync(turn.events), Array.fromAsync(turn.events)])
    expect(again).toEqual(all)
    const stored = await one.messages(id)
    expect(messagesIn(all).map((message) => message.id)).toEqual(stored.map((message) => message.id))
    expect(streamed(all, stored.at(-1)?.id ?? 'msg_')).toBe(stored.at(-1)?.text)
    expect(watching.now).toBe(0)
  })

  it('is let go when bough closes, and comes too late afterwards', async () => {
    const { turn, watching, closing } = await newWatched()
    const reading = Array.fromAsync(turn.events)
    await next(turn.events[Symbol.asyncIterator](), 'text')
    closing.abort()
    expect((await reading).at(-1)).toMatchObject({ type: 'ended', end: { outcome: 'interrupted' } })
    expect(await Array.fromAsync(turn.events)).toEqual(await reading)
    expect(await turn.ended).toMatchObject({ outcome: 'interrupted' })
    expect(watching.now).toBe(0)
  })

  it('is told that it ended, and why, when the store cannot be read', async () => {
    const { home, id, one } = await newTwo()
    await one.send(id, 'sleep 1')
    const store = await lookInto(home)
    const turn = await followTurn(store, new AbortController().signal, id)
    await store.close()
    expect(await turn?.ended).toMatchObject({ outcome: 'interrupted', reason: expect.any(String) })
  })
})

describe('there is no turn', () => {
  it('where none runs, none has that name, or it is of another session', async () => {
    const { home, one, two, id } = await newTwo()
    const other = await one.create({ directory: home.data })
    expect(await two.follow(id)).toBeNull()
    const over = await one.send(id, 'hello')
    await over.ended
    expect([await two.follow(id), await two.follow(other.id, over.id)]).toEqual([null, null])
    expect(await two.follow(id, 'trn_')).toBeNull()
    await expect(two.follow('ses_')).rejects.toMatchObject({ code: 'not_found' })
  })
})
