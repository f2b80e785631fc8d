import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { newHome, openForTest, turn } from '../../test/support/bough.ts'
import { until } from '../../test/support/until.ts'
import type { AgentEvent, Driver, OpenOptions } from '../agents/driver.ts'
import type { Bough } from '../bough.ts'
import type { SessionID } from '../tree/ids.ts'
import type { TurnEvent } from '../tree/turn.ts'

type Script = (options: OpenOptions, signal: AbortSignal, prompt: string) => AsyncIterable<AgentEvent>

/** An agent that does what a test says. */
function scripted(
  script: Script,
  seen: { opened: number; closed: number } = { opened: 0, closed: 0 },
): Driver {
  return {
    name: 'scripted',
    capabilities: { history: 'line' },
    settings: [],
    shipped: async () => [],
    native: null,
    contextWindow: async () => null,
    close: async () => {},
    check: async () => ({ installed: true, ready: true, detail: 'does what the test says' }),
    async open(options) {
      seen.opened++
      return {
        send: (prompt, signal) => script(options, signal, prompt),
        close: async () => {
          seen.closed++
        },
      }
    },
  }
}

async function withAgent(
  driver: Driver,
): Promise<{ bough: Bough; id: SessionID; home: Awaited<ReturnType<typeof newHome>> }> {
  const home = await newHome()
  const bough = await openForTest(home, { drivers: [driver] })
  const { id } = await bough.create({ agent: driver.name, directory: home.project })
  return { bough, id, home }
}

const done: AgentEvent = { type: 'turn-finished', reason: 'done' }
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve()),
  )

describe('a turn', () => {
  it('stores the person’s message durably before the agent sees it', async () => {
    let found: string[] = []
    const { bough, id, home } = await withAgent(
      scripted(async function* () {
        const other = await openForTest(home)
        found = (await other.messages(id)).map((message) => message.text)
        yield done
      }),
    )
    await turn(bough, id, 'remember this')
    expect(found).toEqual(['remember this'])
  })

  it('puts messages into the tree when they are finished, with usage, and calls apart from results', async () => {
    const usage = { inputTokens: 5, outputTokens: 6, cacheReadTokens: 0, cacheWriteTokens: 0, costUSD: 0.125 }
    const { bough, id } = await withAgent(
      scripted(async function* () {
        yield { type: 'reasoning', text: 'let me ' }
        yield { type: 'reasoning', text: 'see' }
        yield { type: 'text', text: 'I ' }
        yield { type: 'text', text: 'look.' }
        yield { type: 'tool-call', callID: 'c', name: 'look', args: {} }
        yield { type: 'message-finished', nativeID: 'n1', usage }
        yield { type: 'message-finished' }
        yield { type: 'tool-result', callID: 'c', name: 'look', output: 'a tree', exitCode: 0 }
        yield { type: 'message-finished' }
        yield { type: 'text', text: 'A tree.' }
        yield done
      }),
    )
    const messages = await turn(bough, id, 'what is there?')
    expect(messages.map(({ role, text, status, nativeID }) => ({ role, text, status, nativeID }))).toEqual([
      { role: 'user', text: 'what is there?', status: 'complete', nativeID: null },
      { role: 'assistant', text: 'I look.', status: 'complete', nativeID: 'n1' },
      { role: 'tool', text: '', status: 'complete', nativeID: null },
      { role: 'assistant', text: 'A tree.', status: 'complete', nativeID: null },
    ])
    expect(messages[1]?.parts[0]).toEqual({ type: 'reasoning', text: 'let me see' })
    expect((await bough.session(id)).cost.own).toEqual(usage)
    expect(await bough.messages(id)).toMatchObject(messages.map(({ snapshot: _, ...message }) => message))
  })

  it('books what it hears of costs at the end on its last message, also when all of it is stored', async () => {
    const usage = { inputTokens: 5, outputTokens: 6, cacheReadTokens: 0, cacheWriteTokens: 0, costUSD: 0 }
    const rest = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUSD: 0.125 }
    const { bough, id } = await withAgent(
      scripted(async function* () {
        yield { type: 'text', text: 'A tree.' }
        yield { type: 'message-finished', usage }
        yield { ...done, usage: rest }
      }),
    )
    await turn(bough, id, 'what is there?')
    const [, answer] = await bough.messages(id)
    expect(answer?.usage).toEqual({ ...usage, costUSD: 0.125 })
    expect((await bough.session(id)).cost.own).toEqual({ ...usage, costUSD: 0.125 })
    const fork = await bough.fork(id)
    expect((await bough.session(fork.id)).cost.inherited).toEqual({ ...usage, costUSD: 0.125 })
  })

  it('names the session after its first prompt, unless the person has named it', async () => {
    const driver = scripted(async function* () {
      yield done
    })
    const { bough, id, home } = await withAgent(driver)
    await turn(bough, id, 'plant an oak\nplease')
    await turn(bough, id, 'plant an elm')
    expect((await bough.session(id)).title).toBe('plant an oak')
    const named = await bough.create({ agent: 'scripted', title: 'Mine', directory: home.project })
    await turn(bough, named.id, 'other words')
    expect((await bough.session(named.id)).title).toBe('Mine')
  })

  it.each([
    ['an error of the agent', { type: 'error', message: 'out of credit' } as const, 'out of credit'],
    ['a crash of its driver', new Error('pipe broke'), 'pipe broke'],
    ['an end without a word', null, 'without finishing'],
  ])(
    'that ends with %s is stored as failed, keeps what was said, and the session goes on',
    async (_, ending, reason) => {
      let turns = 0
      const seen = { opened: 0, closed: 0 }
      const { bough, id } = await withAgent(
        scripted(async function* () {
          if (turns++ > 0) {
            yield done
            return
          }
          yield { type: 'text', text: 'I was about to' }
          yield { type: 'tool-call', callID: 'c', name: 'run', args: {} }
          if (ending instanceof Error) throw ending
          if (ending) yield ending
        }, seen),
      )
      const messages = await turn(bough, id, 'go')
      expect(messages.map(({ role, status }) => [role, status])).toEqual([
        ['user', 'complete'],
        ['assistant', 'failed'],
        ['tool', 'failed'],
        ['error', 'failed'],
      ])
      expect(messages.at(-1)?.text).toContain(reason)
      expect((await bough.session(id)).state).toBe('idle')
      expect(await (await bough.send(id, 'again')).ended).toEqual({ outcome: 'finished', reason: null })
      expect(seen).toEqual({ opened: 2, closed: 1 })
    },
  )

  it('that fails to open its agent is stored as failed', async () => {
    const driver = scripted(async function* () {})
    const { bough, id } = await withAgent({
      ...driver,
      open: () => Promise.reject(new Error('not signed in')),
    })
    expect(await (await bough.send(id, 'hello')).ended).toEqual({
      outcome: 'failed',
      reason: 'not signed in',
    })
    expect((await bough.messages(id)).map((message) => message.text)).toEqual(['hello', 'not signed in'])
  })

  it('can be aborted, by its signal or by the session; calls without a result get one', async () => {
    const { bough, id } = await withAgent(
      scripted(async function* (_, signal) {
        yield { type: 'text', text: 'working' }
        yield { type: 'tool-call', callID: 'c', name: 'run', args: {} }
        yield { type: 'message-finished' }
        await aborted(signal)
        yield { type: 'turn-finished', reason: 'interrupted' }
      }),
    )
    const stop = new AbortController()
    const running = await bough.send(id, 'go', { signal: stop.signal })
    for await (const event of running.events)
      if (event.type === 'message' && event.message.role === 'assistant') stop.abort()
    expect(await running.ended).toEqual({ outcome: 'interrupted', reason: 'You stopped it.' })
    const roles = (await bough.messages(id)).map(({ role, status }) => [role, status])
    expect(roles).toEqual([
      ['user', 'complete'],
      ['assistant', 'complete'],
      ['tool', 'interrupted'],
      ['system', 'interrupted'],
    ])
    const second = await bough.send(id, 'once more')
    expect(await bough.abort(id)).toBe(true)
    expect((await second.ended).outcome).toBe('interrupted')
    expect(await bough.abort(id)).toBe(false)
  })

  it('whose agent does not stop when told to is cut off, and its connection closed', async () => {
    const seen = { opened: 0, closed: 0 }
    const { bough, id } = await withAgent(
      scripted(async function* () {
        yield { type: 'text', text: 'la la la' }
        await new Promise(() => {})
      }, seen),
    )
    const running = await bough.send(id, 'sing')
    for await (const event of running.events) if (event.type === 'text') break
    expect(await bough.abort(id)).toBe(true)
    expect((await running.ended).outcome).toBe('interrupted')
    expect(seen.closed).toBeGreaterThan(0)
  })

  it('waits its place while another runs, in the order they were sent', async () => {
    const order: string[] = []
    const { bough, id } = await withAgent(
      scripted(async function* (_, __, prompt) {
        order.push(`begin ${prompt}`)
        await new Promise((resolve) => setImmediate(resolve))
        order.push(`end ${prompt}`)
        yield done
      }),
    )
    await Promise.all(['a', 'b', 'c'].map(async (text) => (await bough.send(id, text)).ended))
    expect(order).toEqual(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c'])
    expect((await bough.messages(id)).map((message) => message.text)).toEqual(['a', 'b', 'c'])
  })

  it('uses the open connection of the turn before, unless it has not seen the newest message', async () => {
    const seen = { opened: 0, closed: 0 }
    const { bough, id, home } = await withAgent(
      scripted(async function* () {
        yield { type: 'text', text: 'yes' }
        yield done
      }, seen),
    )
    await turn(bough, id, 'one')
    await turn(bough, id, 'two')
    expect(seen.opened).toBe(1)
    const other = await openForTest(home, {
      drivers: [
        scripted(async function* () {
          yield done
        }),
      ],
    })
    await turn(other, id, 'from elsewhere')
    await turn(bough, id, 'three')
    expect(seen.opened).toBe(2)
  })

  it('finds its agent open when that was warmed, for what the session knew then', async () => {
    const seen = { opened: 0, closed: 0 }
    const told: number[] = []
    const { bough, id } = await withAgent(
      scripted(async function* ({ history }) {
        told.push((await history()).length)
        yield { type: 'text', text: 'yes' }
        yield done
      }, seen),
    )
    await Promise.all([bough.warm(id), bough.warm(id)])
    expect(seen.opened).toBe(1)
    expect((await bough.session(id)).state).toBe('idle')
    await turn(bough, id, 'one')
    await bough.warm(id)
    await turn(bough, id, 'two')
    expect(seen).toEqual({ opened: 1, closed: 0 })
    await bough.change(id, { model: 'another' })
    await turn(bough, id, 'three')
    expect(seen).toEqual({ opened: 2, closed: 1 })
    expect(told).toEqual([0, 0, 4])
  })

  it('has nothing to do with an agent that was warmed and came too late: that one is closed', async () => {
    const patience = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(patience.signal)
    onTestFinished(() => timeout.mockRestore())
    const seen = { opened: 0, closed: 0 }
    const driver = scripted(async function* () {
      yield done
    }, seen)
    const [asked, comes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { bough, id } = await withAgent({
      ...driver,
      open: async (options) => {
        asked.resolve()
        await comes.promise
        return driver.open(options)
      },
    })
    const warming = bough.warm(id)
    await asked.promise
    patience.abort()
    await warming
    comes.resolve()
    await until('it to be closed', () => seen.closed === 1)
    await turn(bough, id, 'hello')
    expect(seen).toEqual({ opened: 2, closed: 1 })
  })

  it('says itself why its agent does not open: warming it does not', async () => {
    const { bough, id } = await withAgent({
      ...scripted(async function* () {}),
      open: () => Promise.reject(new Error('not signed in')),
    })
    await bough.warm(id)
    await bough.warm('ses_unknown')
    expect((await (await bough.send(id, 'hello')).ended).reason).toBe('not signed in')
  })

  it('is interrupted and stored as such when bough is closed', async () => {
    const { bough, id, home } = await withAgent(
      scripted(async function* (_, signal) {
        yield { type: 'text', text: 'half a sen' }
        await aborted(signal)
        yield { type: 'turn-finished', reason: 'interrupted' }
      }),
    )
    const running = await bough.send(id, 'go')
    for await (const event of running.events) if (event.type === 'text') break
    await bough.close()
    const again = await openForTest(home)
    expect((await again.messages(id)).map(({ text, status }) => [text, status])).toEqual([
      ['go', 'complete'],
      ['half a sen', 'interrupted'],
      ['', 'interrupted'],
    ])
  })
})

describe('a permission', () => {
  const asking = scripted(async function* (options, signal) {
    yield { type: 'tool-call', callID: 'c', name: 'run', args: { command: 'make' } }
    yield { type: 'message-finished' }
    const answer = await options.askPermission({ tool: 'run', action: 'run', detail: 'make' }, signal)
    const output = answer.allow ? 'made' : answer.reason
    yield { type: 'tool-result', callID: 'c', name: 'run', output, exitCode: answer.allow ? 0 : 1 }
    yield { type: 'message-finished' }
    yield done
  })
  const outputs = async (events: AsyncIterable<TurnEvent>) =>
    (await Array.fromAsync(events)).flatMap((event) =>
      event.type === 'tool-result' ? [event.result.output] : [],
    )

  it('is asked before an agent writes what another agent is configured by', async () => {
    const home = await newHome()
    const writing = scripted(async function* (options, signal) {
      for (const name of ['.stove/config', 'soup.txt']) {
        const path = join(home.project, name)
        await options.askPermission({ tool: 'write', action: 'write', detail: name, path }, signal)
      }
      yield done
    })
    const stove: Driver = { ...scripted(async function* () {}), name: 'stove', settings: ['.stove'] }
    const bough = await openForTest(home, { drivers: [writing, stove] })
    const { id } = await bough.create({ agent: 'scripted', directory: home.project })
    const asked: string[] = []
    for await (const event of (await bough.send(id, 'write')).events) {
      if (event.type !== 'permission') continue
      asked.push(event.permission.detail)
      await bough.answer(event.permission.id, { allow: false })
    }
    expect(asked).toEqual(['.stove/config'])
  })

  it('is answered once, from any process', async () => {
    const { bough, id, home } = await withAgent(asking)
    const other = await openForTest(home)
    const running = await bough.send(id, 'build')
    for await (const event of running.events) if (event.type === 'permission') break
    const [permission] = await other.permissions()
    expect(permission).toMatchObject({ sessionID: id, tool: 'run', detail: 'make', state: 'asked' })
    if (!permission) return
    expect((await other.findPermission(permission.id.slice(-5))).id).toBe(permission.id)
    const answers = await Promise.allSettled([
      other.answer(permission.id, { allow: true }),
      bough.answer(permission.id, { allow: false }),
    ])
    expect(answers.filter((answer) => answer.status === 'rejected')).toMatchObject([
      { reason: { code: 'permission_answered' } },
    ])
    expect(await outputs(running.events)).toEqual([
      answers[0].status === 'fulfilled' ? 'made' : 'the person denied it',
    ])
    expect(await other.permissions()).toEqual([])
  })

  it('that nobody answers in time is denied', async () => {
    const home = await newHome()
    const first = await openForTest(home, { drivers: [asking] })
    const { id } = await first.create({ agent: 'scripted', directory: home.project })
    await first.close()
    await writeFile(home.config, JSON.stringify({ permissions: { timeout: 1 } }))
    const bough = await openForTest(home, { drivers: [asking] })
    expect(await outputs((await bough.send(id, 'build')).events)).toEqual(['nobody answered in time'])
    expect(await bough.permissions()).toEqual([])
  })

  it('that is open when its turn is stopped is denied with it', async () => {
    const { bough, id } = await withAgent(asking)
    const running = await bough.send(id, 'build')
    for await (const event of running.events) {
      if (event.type === 'permission') await bough.abort(id)
    }
    expect(await bough.permissions()).toEqual([])
    expect((await bough.session(id)).state).toBe('idle')
  })
})
