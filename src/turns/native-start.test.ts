import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import type { Capabilities } from '../agents/driver.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import type { SessionID } from '../tree/ids.ts'
import { lengthOf } from '../tree/line.ts'
import type { Role } from '../tree/message.ts'
import { nativeStart } from './native-start.ts'

const native: Capabilities = { history: 'native' }

interface Asked {
  readonly agent: string
  readonly capabilities: Capabilities
  /** It has begun a native session of its own. */
  readonly isBound: boolean
}

let store: Store
let made = 0

beforeEach(async () => {
  const opened = await openStore(await mkdtemp(join(tmpdir(), 'start-')), () => 0)
  onTestFinished(() => opened.close())
  store = opened
})

/** A session with messages like `user one`, or `assistant two x` for one that the agent's own history has as x. */
async function session(
  words: readonly string[],
  { agent = 'claude', after }: { readonly agent?: string; readonly after?: SessionID } = {},
): Promise<SessionID> {
  const id: SessionID = `ses_${made++}`
  await store.transaction(async (tx) => {
    const [last] = after
      ? await tx.messages.range({ sessionID: after, from: 1, to: 99 }).then((all) => all.slice(-1))
      : []
    await tx.sessions.insert({
      id,
      parentID: after ?? null,
      forkPoint: last?.id ?? null,
      title: '',
      titled: true,
      agent,
      model: null,
      directory: '/',
      kind: 'root',
      labels: [],
      created: 0,
    })
    await tx.sessions.bindNative(id, `native of ${id}`)
    for (const each of words) {
      const [role, text = '', nativeID = null] = each.split(' ')
      const parts = [{ type: 'text' as const, text }]
      const message = { id: `msg_${made++}` as const, role: role as Role, parts, status: 'complete' as const }
      await tx.messages.append(id, [{ ...message, nativeID, created: 0 }])
    }
  })
  return id
}

async function startOf(
  id: SessionID,
  { agent = 'claude', capabilities = native, isBound = false }: Partial<Asked> = {},
) {
  const line = await store.sessions.line(id)
  const nativeID = isBound ? `native of ${id}` : null
  return nativeStart(store, { id, agent, nativeID }, line, lengthOf(line), capabilities)
}

it('a session without a past begins afresh', async () => {
  expect(await startOf(await session([]))).toEqual({ start: { kind: 'fresh' }, unsent: [] })
})

it('one that its agent knows is resumed, and a fork of it begins at its last entry', async () => {
  const id = await session(['user one', 'assistant two x'])
  const native = { nativeID: `native of ${id}`, at: 'x' }
  expect(await startOf(id)).toEqual({ start: { kind: 'resume', ...native }, unsent: [] })
  const fork = await session([], { after: id })
  expect(await startOf(fork)).toEqual({ start: { kind: 'fork', ...native }, unsent: [] })
})

it('prompts that no entry follows are said again, what bough said is not', async () => {
  const id = await session([
    'user one',
    'assistant two x',
    'user three',
    'error four',
    'user five',
    'system six',
  ])
  expect(await startOf(await session(['user seven'], { after: id }))).toEqual({
    start: { kind: 'fork', nativeID: `native of ${id}`, at: 'x' },
    unsent: ['three', 'five', 'seven'],
  })
  expect(await startOf(await session(['user only']))).toEqual({ start: { kind: 'fresh' }, unsent: ['only'] })
})

it('an answer that no entry stands for cannot be given to a fork, but is in the history of its own session', async () => {
  const id = await session(['user one', 'assistant two x', 'user three', 'assistant four'])
  expect(await startOf(id)).toMatchObject({ start: { kind: 'resume', at: 'x' }, unsent: ['three'] })
  const fork = await startOf(await session([], { after: id }))
  expect(fork).toMatchObject({
    start: null,
    why: expect.stringContaining('claude cannot begin at that message'),
  })
})

it('an agent cannot go on from another’s conversation', async () => {
  const id = await session(['user one', 'assistant two x'], { agent: 'codex' })
  const fork = await startOf(await session([], { after: id }))
  expect(fork).toMatchObject({
    start: null,
    why: 'The conversation before was with codex.',
    instead: 'Fork it with --agent codex.',
  })
})

it('one that is given the line every time needs nothing of all that', async () => {
  const id = await session(['user one', 'assistant two'], { agent: 'codex' })
  const start = await startOf(await session([], { after: id }), {
    agent: 'offline',
    capabilities: { ...native, history: 'line' },
  })
  expect(start).toEqual({ start: { kind: 'fresh' }, unsent: [] })
})

it('one that was killed in its first turn is resumed when it had said something, and else begins again', async () => {
  const fresh = await session(['user one', 'assistant two'])
  expect(await startOf(fresh, { isBound: true })).toEqual({
    start: { kind: 'resume', nativeID: `native of ${fresh}`, at: null },
    otherwise: { kind: 'fresh' },
    unsent: ['one'],
  })
  const parent = await session(['user one', 'assistant two x'])
  const fork = await session(['user three', 'assistant four'], { after: parent })
  expect(await startOf(fork, { isBound: true })).toEqual({
    start: { kind: 'resume', nativeID: `native of ${fork}`, at: 'x' },
    otherwise: { kind: 'fork', nativeID: `native of ${parent}`, at: 'x' },
    unsent: ['three'],
  })
  const silent = await session(['user three', 'system four'], { after: parent })
  expect(await startOf(silent, { isBound: true })).toMatchObject({
    start: { kind: 'fork', nativeID: `native of ${parent}` },
    unsent: ['three'],
  })
})
