import { expect, it, vi } from 'vitest'
import type { NativeHistory } from '../src/agents/driver.ts'
import { BoughError } from '../src/tree/error.ts'
import type { SessionDocument } from '../src/tree/session-document.ts'
import { newHome } from './support/bough.ts'
import { ScriptedAgent, says } from './support/scripted-agent.ts'
import { connectForTest, serveForTest } from './support/server.ts'

/** A server that shows at once that somebody is there, and an agent that says what it keeps when it is told to. */
async function impatient() {
  const home = await newHome()
  const { driver } = new ScriptedAgent('slow', () => says('done'))
  const { native } = driver
  if (!native) throw new Error('It has no history.')
  const listed = Promise.withResolvers<[]>()
  const history = Promise.withResolvers<NativeHistory>()
  const slow = { ...driver, native: { ...native, list: () => listed.promise, read: () => history.promise } }
  const server = await serveForTest(home, { silence: 1, bough: { drivers: [slow] } })
  const ask = (path: string, { headers, ...init }: RequestInit = {}) =>
    fetch(server.url + path, {
      ...init,
      headers: { ...Object.fromEntries(new Headers(headers)), authorization: `Bearer ${server.token}` },
    })
  const list = `/import?directory=${encodeURIComponent(home.project)}`
  return { server, project: home.project, ask, list, listed, history }
}

const eventsToo = { accept: 'application/json, text/event-stream' }
const stream = 'text/event-stream; charset=utf-8'

it('who waits for long gets the result as an event, and who reads no events gets it as JSON', async () => {
  const { server, project, ask, list, listed } = await impatient()
  const plain = ask(list)
  const waiting = await ask(list, { headers: eventsToo })
  expect(waiting.headers.get('content-type')).toBe(stream)
  const adoptable = (await connectForTest(server)).adoptable({ directory: project })
  listed.resolve([])
  const result = { sessions: [], notices: [] }
  expect(await waiting.text()).toBe(`event: result\ndata: ${JSON.stringify(result)}\n\n`)
  expect(await (await plain).json()).toEqual(result)
  expect(await adoptable).toEqual(result)
})

it('who waits for long is told in the stream what goes wrong', async () => {
  const { ask, history } = await impatient()
  const headers = { ...eventsToo, 'content-type': 'application/json' }
  const body = JSON.stringify({ agent: 'slow', nativeID: 'gone' })
  const waiting = await ask('/import', { method: 'POST', headers, body })
  expect([waiting.status, waiting.headers.get('content-type')]).toEqual([200, stream])
  history.reject(new BoughError('native_missing', 'It is gone.'))
  expect(await waiting.text()).toMatch(/^event: problem\ndata: .*"code":"native_missing".*\n\n$/)
})

it.each(['export', 'line'])(
  'a slow reader of a long %s, who reads events too, gets all of it',
  async (what) => {
    const { server, project, ask, list, listed } = await impatient()
    const { id } = await server.bough.importDocument(long, { directory: project })
    const pouring = await ask(`/session/${id}/${what}`, { headers: eventsToo })
    // When a later request was shown that somebody is there, the time of this one has passed too.
    const later = await ask(list, { headers: eventsToo })
    expect(later.headers.get('content-type')).toBe(stream)
    listed.resolve([])
    await later.text()
    expect(pouring.headers.get('content-type')).not.toBe(stream)
    expect((await pouring.text()).split(piece).length).toBeGreaterThan(pieces)
    expect(server.faults).toEqual([])
  },
)

it('what fails in the middle of a long answer cuts its reader off, and is told to who runs the server', async () => {
  const { server, project, ask } = await impatient()
  const { id } = await server.bough.create({ directory: project })
  const broken = new Error('The disk is broken.')
  vi.spyOn(server.bough, 'line').mockImplementation(async function* () {
    yield* await server.bough.messages(id)
    throw broken
  })
  await expect(ask(`/session/${id}/line`).then((answer) => answer.text())).rejects.toThrow()
  expect(server.faults).toEqual([broken])
})

const piece = 'a'.repeat(1_000_000)
/** More than waits between a server and a reader that does not read. */
const pieces = 20
const long: SessionDocument = {
  ...{ format: 'bough.session', version: 1, exported: 1 },
  session: {
    ...{ id: 'x', title: 'Long', agent: 'slow', model: null, directory: '/', labels: [] },
    ...{ created: 1, updated: 1 },
  },
  messages: Array.from({ length: pieces }, (_, i) => ({
    ...{ id: String(i), role: 'assistant', status: 'complete', created: 1, usage: null },
    parts: [{ type: 'text', text: `${piece}.` }],
  })),
}
