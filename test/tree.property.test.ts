import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Agents } from '../src/agents/agents.ts'
import { createOfflineDriver } from '../src/agents/offline/offline.ts'
import { beginFork, beginningOf } from '../src/forks/branch.ts'
import { removeSession } from '../src/forks/remove-session.ts'
import { diffSessions } from '../src/store/compare.ts'
import { livingSession } from '../src/store/find.ts'
import { readPage } from '../src/store/line.ts'
import { openStore } from '../src/store/open.ts'
import type { Store } from '../src/store/store.ts'
import { hasCode } from '../src/tree/error.ts'
import { forestOf } from '../src/tree/forest.ts'
import { createIds, type Ids, type MessageID, type SessionID } from '../src/tree/ids.ts'
import type { NewMessage, Part } from '../src/tree/message.ts'
import type { Session } from '../src/tree/session.ts'
import { addUsage, noUsage, type Usage } from '../src/tree/usage.ts'
import { count, seed } from './support/size.ts'

// Random appends, forks, deletes and reopenings on the real store, beside a model that knows nothing of segments: it
// copies the whole list of messages whenever it forks.

interface ModelMessage {
  readonly id: MessageID
  readonly role: NewMessage['role']
  readonly usage: Usage | null
  readonly opensCalls: boolean
}

interface ModelSession {
  readonly parentID: SessionID | null
  readonly line: ModelMessage[]
  readonly inherited: number
}

/** Numbers are taken modulo what there is when the step runs. */
type Step =
  | { readonly do: 'root' }
  | { readonly do: 'say'; readonly session: number; readonly calls: number; readonly cost: number }
  | { readonly do: 'call'; readonly session: number }
  | { readonly do: 'fork'; readonly session: number; readonly at: number; readonly before: boolean }
  | { readonly do: 'fork-head'; readonly session: number }
  | { readonly do: 'delete'; readonly session: number }
  | { readonly do: 'reopen' }

const choice = fc.nat(10_000)
const of = <Name extends Step['do']>(name: Name) => ({ do: fc.constant(name) })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record(of('root')) },
  { weight: 10, arbitrary: fc.record({ ...of('say'), session: choice, calls: fc.nat(3), cost: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ ...of('call'), session: choice }) },
  { weight: 8, arbitrary: fc.record({ ...of('fork'), session: choice, at: choice, before: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ ...of('fork-head'), session: choice }) },
  { weight: 3, arbitrary: fc.record({ ...of('delete'), session: choice }) },
  { weight: 1, arbitrary: fc.record(of('reopen')) },
)

const length = count(250, 100)
const runs = count(50, 20)

it(`lines, parents, costs and diffs agree with a model that copies lists, over ${runs * length} random operations`, async () => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: length, maxLength: length }),
    async (steps) => {
      const world = await World.make()
      try {
        for (const [i, each] of steps.entries()) {
          await world.take(each)
          await world.compareSome(i)
        }
        await world.compareAll()
      } finally {
        await world.close()
      }
    },
  )
  await fc.assert(property, { seed: seed(), numRuns: runs, endOnFailure: true })
})

class World {
  readonly #directory: string
  readonly #ids: Ids = createIds(Date.now, (size) => crypto.getRandomValues(new Uint8Array(size)))
  readonly #model = new Map<SessionID, ModelSession>()
  #store: Store

  static async make(): Promise<World> {
    const directory = await mkdtemp(join(tmpdir(), 'tree-'))
    return new World(directory, await openStore(directory, Date.now))
  }

  private constructor(directory: string, store: Store) {
    this.#directory = directory
    this.#store = store
  }

  async close(): Promise<void> {
    await this.#store.close()
    await rm(this.#directory, { recursive: true })
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'root':
        return this.#root()
      case 'reopen':
        await this.#store.close()
        this.#store = await openStore(this.#directory, Date.now)
        return
      case 'say':
        return this.#on(step.session, (id) => this.#say(id, step.calls, step.cost))
      case 'call':
        return this.#on(step.session, (id) => this.#append(id, [this.#message('assistant', 0, ['open'])]))
      case 'fork':
        return this.#on(step.session, (id) => this.#fork(id, step.at, step.before))
      case 'fork-head':
        return this.#on(step.session, (id) => this.#fork(id, null, false))
      case 'delete':
        return this.#on(step.session, async (id) => {
          await removeSession(this.#store, id, Date.now())
          this.#model.delete(id)
        })
    }
  }

  /** Two sessions after each step, chosen by its number. */
  async compareSome(number: number): Promise<void> {
    await this.#on(number * 7, (a) => this.#compare(a))
    await this.#on(number * 7, (a) => this.#on(number * 13 + 1, (b) => this.#compareDiff(a, b)))
  }

  async compareAll(): Promise<void> {
    for (const id of this.#model.keys()) await this.#compare(id)
    const living = forestOf(await this.#store.sessions.all()).filter((row) => !row.deleted)
    expect(living.map((row) => row.id).toSorted()).toEqual([...this.#model.keys()].toSorted())
    const needed = new Set([...this.#model.values()].flatMap(({ line }) => line.map(({ id }) => id)))
    expect(await this.#storedMessages()).toEqual(needed)
  }

  async #storedMessages(): Promise<ReadonlySet<MessageID>> {
    const stored = new Set<MessageID>()
    for (const { id } of await this.#store.sessions.all()) {
      for (const message of await this.#store.messages.range({ sessionID: id, from: 1, to: 1e9 }))
        stored.add(message.id)
    }
    return stored
  }

  async #on(choice: number, work: (id: SessionID) => Promise<void>): Promise<void> {
    const ids = [...this.#model.keys()]
    const id = ids[choice % ids.length]
    if (id !== undefined) await work(id)
  }

  async #root(): Promise<void> {
    const id = this.#ids.session()
    await this.#store.transaction((tx) =>
      tx.sessions.insert({
        id,
        parentID: null,
        forkPoint: null,
        title: 'root',
        titled: true,
        agent: 'offline',
        model: null,
        directory: '/',
        kind: 'root',
        labels: [],
        created: 0,
      }),
    )
    this.#model.set(id, { parentID: null, line: [], inherited: 0 })
  }

  // Results for a call left open come first, as from an agent that goes on.
  async #say(id: SessionID, calls: number, cost: number): Promise<void> {
    const open = this.#model.get(id)?.line.at(-1)?.opensCalls ? [this.#message('tool', 0, [], ['open'])] : []
    const names = Array.from({ length: calls }, (_, i) => `call-${i}`)
    await this.#append(id, [
      ...open,
      this.#message('user', 0),
      ...(calls > 0 ? [this.#message('assistant', cost, names)] : []),
      ...names.map((name) => this.#message('tool', 0, [], [name])),
      this.#message('assistant', cost + 1),
    ])
  }

  async #append(id: SessionID, messages: readonly NewMessage[]): Promise<void> {
    const line = this.#model.get(id)?.line
    if (line?.at(-1)?.opensCalls && messages[0]?.role !== 'tool') return
    await this.#store.transaction((tx) => tx.messages.append(id, messages))
    for (const { id: messageID, role, usage = null, parts } of messages) {
      const opensCalls = parts.some((part) => part.type === 'tool-call' && part.callID === 'open')
      line?.push({ id: messageID, role, usage, opensCalls })
    }
  }

  #message(
    role: NewMessage['role'],
    cost: number,
    calls: readonly string[] = [],
    results: readonly string[] = [],
  ): NewMessage {
    const parts: Part[] = [
      ...calls.map((callID) => ({ type: 'tool-call' as const, callID, name: 'run', args: {} })),
      ...results.map((callID) => ({
        type: 'tool-result' as const,
        callID,
        name: 'run',
        output: '',
        exitCode: 0,
      })),
    ]
    if (parts.length === 0) parts.push({ type: 'text', text: role })
    const usage = { ...noUsage, inputTokens: cost * 100, outputTokens: cost, costUSD: cost / 8 }
    return {
      id: this.#ids.message(),
      role,
      parts,
      status: 'complete',
      created: 0,
      usage: cost > 0 ? usage : null,
    }
  }

  async #fork(parentID: SessionID, at: number | null, before: boolean): Promise<void> {
    const parent = this.#model.get(parentID)
    if (!parent) return
    const index = at === null || parent.line.length === 0 ? parent.line.length - 1 : at % parent.line.length
    const messageID = at === null ? undefined : parent.line[index]?.id
    const wanted = messageID === undefined ? {} : { messageID, before }
    const kept = this.#keptBy(parent.line, messageID !== undefined && before ? index - 1 : index)
    const agents = new Agents([createOfflineDriver()])
    const parts = { store: this.#store, ids: this.#ids, clock: () => 0, agents }
    const fork = async (): Promise<Session> => {
      const beginning = await beginningOf(parts, await livingSession(this.#store, parentID), wanted)
      return this.#store.transaction((tx) => beginFork(tx, parts, parentID, beginning, wanted))
    }
    const made = await fork().catch((error) => {
      expect(hasCode(error, 'message_unfinished')).toBe(true)
      return null
    })
    expect(made === null).toBe(kept === null)
    if (!made || !kept) return
    expect(made.forkPoint).toBe(kept.at(-1)?.id ?? null)
    this.#model.set(made.id, { parentID, line: [...kept], inherited: kept.length })
  }

  // What a fork at `index` keeps: results stay with their calls; null where a call has none yet.
  #keptBy(line: readonly ModelMessage[], index: number): readonly ModelMessage[] | null {
    let end = index
    while (end >= 0 && line[end + 1]?.role === 'tool') end++
    return line[end]?.opensCalls ? null : line.slice(0, end + 1)
  }

  async #compare(id: SessionID): Promise<void> {
    const expected = this.#model.get(id)
    if (!expected) return
    const line = await readPage(this.#store, id, {})
    expect(line.map((message) => message.id)).toEqual(expected.line.map((message) => message.id))
    expect((await this.#store.sessions.get(id))?.parentID).toBe(expected.parentID)
    expect((await this.#store.sessions.get(id))?.cost).toEqual({
      own: sum(expected.line.slice(expected.inherited)),
      inherited: sum(expected.line.slice(0, expected.inherited)),
    })
  }

  async #compareDiff(a: SessionID, b: SessionID): Promise<void> {
    const [lineA, lineB] = [this.#model.get(a)?.line ?? [], this.#model.get(b)?.line ?? []]
    let shared = 0
    while (shared < lineA.length && lineA[shared]?.id === lineB[shared]?.id) shared++
    const diff = await diffSessions(this.#store, a, b)
    expect(diff.common?.id ?? null).toBe(lineA[shared - 1]?.id ?? null)
    for (const [side, line] of [[diff.a, lineA] as const, [diff.b, lineB] as const]) {
      expect(side.tail.map((message) => message.id)).toEqual(line.slice(shared).map((message) => message.id))
      expect(side.usage).toEqual(sum(line.slice(shared)))
    }
  }
}

const sum = (messages: readonly ModelMessage[]): Usage =>
  messages.reduce((total, { usage }) => (usage ? addUsage(total, usage) : total), noUsage)
