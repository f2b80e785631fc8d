import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newHome, openForTest } from '../../test/support/bough.ts'
import { count, seed } from '../../test/support/size.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { jsonDocument } from '../tree/document/json-document.ts'
import { createIds } from '../tree/ids.ts'
import type { Json, Message, NewMessage, Part } from '../tree/message.ts'
import { parseSessionDocument, type SessionDocument } from '../tree/session-document.ts'
import { noUsage } from '../tree/usage.ts'
import { importDocument } from './import-document.ts'

const ids = createIds(Date.now, (length) => crypto.getRandomValues(new Uint8Array(length)))

const documentOf = (
  messages: SessionDocument['messages'],
  session: Partial<SessionDocument['session']> = {},
): SessionDocument => ({
  format: 'bough.session',
  version: 1,
  exported: 3,
  session: {
    id: 'ses_elsewhere',
    title: 'Soup',
    agent: 'offline',
    model: 'ladle',
    directory: '/elsewhere',
    labels: ['hot'],
    created: 1,
    updated: 2,
    ...session,
  },
  messages,
})

const said = (text: string): SessionDocument['messages'][number] => ({
  id: 'msg_1',
  role: 'user',
  status: 'complete',
  parts: [{ type: 'text', text }],
  created: 1,
  usage: null,
})

const odd = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom(
      '\ud83d',
      '\udc4d',
      '👍🏽',
      '\0',
      '\x1b[2J',
      '\u009b',
      '`',
      '"',
      '\\',
      '\n',
      '\u2028',
    ),
  }),
)
const part: fc.Arbitrary<Part> = fc.record({
  type: fc.constantFrom('text' as const, 'reasoning' as const, 'notice' as const, 'context' as const),
  text: odd,
})
const usage = fc.record({
  inputTokens: fc.nat(),
  outputTokens: fc.nat(),
  cacheReadTokens: fc.nat(),
  cacheWriteTokens: fc.nat(),
  costUSD: fc.double({ min: 0, max: 1000, noNaN: true }),
})
const end = {
  status: fc.constantFrom('complete' as const, 'interrupted' as const, 'failed' as const),
  created: fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
  usage: fc.option(usage),
}
const plain = fc
  .record({
    role: fc.constantFrom(
      'user' as const,
      'assistant' as const,
      'system' as const,
      'error' as const,
      'summary' as const,
    ),
    parts: fc.array(part, { maxLength: 3 }),
    ...end,
  })
  .map((message) => [message])
const group = fc
  .record({
    callID: odd,
    name: odd,
    args: fc.jsonValue() as fc.Arbitrary<Json>,
    output: odd,
    exitCode: fc.integer(),
    ...end,
  })
  .map(({ callID, name, args, output, exitCode, ...rest }) => [
    { role: 'assistant' as const, parts: [{ type: 'tool-call' as const, callID, name, args }], ...rest },
    {
      role: 'tool' as const,
      parts: [{ type: 'tool-result' as const, callID, name, output, exitCode }],
      ...rest,
    },
  ])
const line = fc.array(fc.oneof(plain, group), { maxLength: 8 }).map((groups) => groups.flat())

const kept = ({ role, parts, status, usage, created }: Message) => ({ role, parts, status, usage, created })

async function fill(store: Store, messages: readonly Omit<NewMessage, 'id'>[]) {
  const id = ids.session()
  await store.transaction(async (tx) => {
    const session = {
      title: 'Odd',
      titled: true,
      agent: 'offline',
      model: null,
      directory: '/x',
      labels: ['"\n'],
    }
    await tx.sessions.insert({ id, parentID: null, forkPoint: null, kind: 'root', created: 5, ...session })
    await tx.messages.append(
      id,
      messages.map((message) => ({ ...message, id: ids.message() })),
    )
  })
  return id
}

it('What was exported as JSON is the same when it is imported, whatever was said', async () => {
  const home = await newHome()
  const bough = await openForTest(home)
  const store = await openStore(home.data, Date.now)
  const property = fc.asyncProperty(line, async (messages) => {
    const from = await bough.session(await fill(store, messages))
    const text = (await Array.fromAsync(jsonDocument(from, bough.line(from.id), 9))).join('')
    // Nothing in it is obeyed by a terminal.
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    const to = await bough.importDocument(parseSessionDocument('it', text), { directory: home.project })
    const { title, agent, model, labels, created } = from
    expect(to).toMatchObject({
      title,
      agent,
      model,
      labels,
      created,
      directory: home.project,
      // Counted with the original, which is here.
      cost: { own: noUsage, inherited: noUsage },
    })
    const [before, after] = [await bough.messages(from.id), await bough.messages(to.id)]
    expect(after.map(kept)).toEqual(before.map(kept))
    expect(after.filter(({ id }) => before.some((each) => each.id === id))).toEqual([])
  })
  await fc.assert(property, { seed: seed(), numRuns: count(500, 60) })
  await store.close()
})

it('Another agent may be named; its model is its own', async () => {
  const { project: directory, ...home } = await newHome()
  const bough = await openForTest(home)
  const document = documentOf([said('Hello')], { agent: 'nobody' })
  await expect(bough.importDocument(document, { directory })).rejects.toThrow(/"nobody".*--agent: .*offline/)
  expect(await bough.importDocument(document, { directory, agent: 'offline' })).toMatchObject({
    model: null,
    agent: 'offline',
  })
  expect(await bough.importDocument(documentOf([]), { directory })).toMatchObject({
    model: 'ladle',
    messages: 0,
  })
})

it('A session that is imported is told of once, when it is whole', async () => {
  const { project: directory, ...home } = await newHome()
  const bough = await openForTest(home)
  const stop = new AbortController()
  const events = bough.events({ after: 0, signal: stop.signal })[Symbol.asyncIterator]()
  const { id } = await bough.importDocument(documentOf(Array.from({ length: 250 }, (_, i) => said(`${i}`))), {
    directory,
  })
  expect((await events.next()).value).toMatchObject({ kind: 'session.created', sessionID: id })
  stop.abort()
  expect((await events.next()).done).toBe(true)
  expect((await bough.messages(id)).map(({ text }) => text)).toEqual(
    Array.from({ length: 250 }, (_, i) => `${i}`),
  )
})

it('While it is imported nobody sees it, and one that is given up leaves nothing', async () => {
  const { data, project } = await newHome()
  const store = await openStore(data, Date.now)
  const stop = new AbortController()
  const seen: number[] = []
  const watching = store.watch(() => {
    void store.sessions.list({}).then((listed) => seen.push(listed.length))
    void store.sessions
      .all()
      .then(([found]) => found && found.messages >= 200 && stop.abort(new Error('enough')))
  })
  const document = documentOf(Array.from({ length: 2000 }, () => said('Hello')))
  const options = { directory: project, agent: 'offline', signal: stop.signal }
  await expect(importDocument({ store, ids, clock: Date.now }, document, options)).rejects.toThrow('enough')
  watching()
  expect(seen.length).toBeGreaterThan(1)
  expect(seen.every((length) => length === 0)).toBe(true)
  expect(await store.sessions.all()).toEqual([])
  expect((await store.events.bounds()).last).toBe(0)
  await store.close()
})

it('What a killed import left is cleaned up after an hour, and not before', async () => {
  const { project: _, ...home } = await newHome()
  let now = 1_800_000_000_000
  const bough = await openForTest(home, { clock: () => now })
  const store = await openStore(home.data, () => now)
  const id = await fill(store, [{ ...said('Hello') }])
  await store.transaction(async (tx) => {
    await tx.sessions.bury(id)
    await tx.sessions.touch(id, now)
  })
  now += 59 * 60_000
  expect((await bough.gc()).items).toEqual([])
  now += 2 * 60_000
  expect((await bough.gc({ dryRun: true })).items).toMatchObject([{ kind: 'import', what: id, goes: true }])
  expect(await store.sessions.get(id)).not.toBeNull()
  await bough.gc()
  expect(await store.sessions.get(id)).toBeNull()
  expect(await store.messages.range({ sessionID: id, from: 0, to: 9 })).toEqual([])
  await store.close()
})
