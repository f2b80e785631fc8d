import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type * as z from 'zod/mini'
import { parseSessionDocument } from '../src/tree/session-document.ts'
import { routes } from '../src/wire/routes.ts'
import { session } from '../src/wire/schema/session.ts'
import { unknown } from './support/bough-suite/ground.ts'
import { speak } from './support/raw-http.ts'
import { openServed, type Served } from './support/served.ts'
import { count } from './support/size.ts'

/** Reads page after page by the Link header, until there is none. */
async function pages<T>({ get }: Served, first: string, schema: z.ZodMiniType<T>): Promise<readonly T[]> {
  const read: T[] = []
  for (let next: string | undefined = first; next !== undefined; ) {
    const answer = await get(next)
    read.push(answer.as(200, schema))
    const link = answer.headers.get('link')
    next = link === null ? undefined : /^<([^>]+)>; rel="next"$/.exec(link)?.[1]
    expect(link === null).toBe(next === undefined)
  }
  return read
}

it('a field that nobody knows is refused, and those that are known are named', async () => {
  const served = await openServed()
  const id = await served.session('Soup')
  const answer = await served.post(`/session/${id}/fork`, { message_index: 3 })
  expect(answer).toMatchObject({ status: 400 })
  expect(JSON.stringify(answer)).toMatch(/message_index.*known are messageID, before/)
})

describe('lists', () => {
  it('of sessions, followed to their end, have every session once, the newest first', async () => {
    const served = await openServed()
    const many = count(500, 25)
    for (let i = 0; i < many; i++) await served.session(`Soup ${i}`)
    await served.session('Something else')
    const read = await pages(served, '/session?limit=7&q=Soup', routes.sessions.result)
    expect(read.flat().map(({ title }) => title)).toEqual(
      Array.from({ length: many }, (_, i) => `Soup ${many - 1 - i}`),
    )
    expect(read.map(({ length }) => length)).toEqual(
      Array.from({ length: Math.ceil(many / 7) }, (_, i) => Math.min(7, many - 7 * i)),
    )
    expect((await served.get(`/session?limit=${many + 1}`)).headers.get('link')).toBeNull()
    expect((await pages(served, '/session', routes.sessions.result)).flat()).toHaveLength(many + 1)
  })

  it('of messages, followed to their end, have the whole line once, from the head', async () => {
    const served = await openServed()
    const id = await served.session()
    for (let i = 0; i < 6; i++) await served.turn(id, `turn ${i}`)
    const line = await served.bough.messages(id)
    const read = await pages(served, `/session/${id}/message?limit=5`, routes.messages.result)
    expect(read.map(({ length }) => length)).toEqual([5, 5, 2])
    expect(read.toReversed().flat()).toEqual(line)
    const lines = (await served.get(`/session/${id}/line`)).text.trim().split('\n')
    expect(lines.map((text) => JSON.parse(text).id)).toEqual(line.map((message) => message.id))
  })

  it('take no page that makes no sense', async () => {
    const { get, session: begin } = await openServed()
    const id = await begin()
    for (const limit of ['0', '-1', '1001', '1.5', 'many', ''])
      expect((await get(`/session?limit=${limit}`)).refused(400, 'bad_input')).toEqual(['query.limit'])
    expect((await get(`/session/${id}/message?before=x`)).refused(400, 'bad_input')).toEqual(['query.before'])
    expect((await get('/session?nonsense=1')).refused(400, 'bad_input')).toEqual(['query'])
    ;(await get('/session?limit=1&limit=2')).refused(400, 'bad_input')
    ;(await get(`/session/${unknown.session}/message`)).refused(404, 'not_found')
    ;(await get(`/session/${unknown.session}/line`)).refused(404, 'not_found')
  })
})

describe('a session over HTTP', () => {
  it('tells what it cost: of its own, and what it stands on', async () => {
    const { get, session: begin, turn, bough } = await openServed()
    const id = await begin()
    await turn(id, 'hello')
    const fork = await bough.fork(id, { files: 'same' })
    await turn(fork.id, 'again')
    const [own, forked] = [await bough.session(id), await bough.session(fork.id)]
    expect((await get(`/session/${id}/cost`)).as(200, routes.cost.result)).toEqual(own.cost)
    const cost = (await get(`/session/${fork.id}/cost`)).as(200, routes.cost.result)
    expect(cost).toEqual(forked.cost)
    expect(cost.inherited.outputTokens).toBe(own.cost.own.outputTokens)
    expect(cost.own.outputTokens).toBeGreaterThan(0)
    ;(await get(`/session/${unknown.session}/cost`)).refused(404, 'not_found')
  })

  it('is exported as a document that can be imported again, and as Markdown', async () => {
    const { get, ask, session: begin, turn, bough, directory } = await openServed()
    const id = await begin('Soup “ü”')
    const first = await turn(id, 'hello', 'write a.txt: a')
    await turn(id, 'again')
    const exported = await get(`/session/${id}/export`)
    expect(exported.headers.get('content-type')).toBe('application/json')
    expect(parseSessionDocument('it', exported.text).messages).toHaveLength((await bough.messages(id)).length)
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: exported.text }
    const there = `directory=${encodeURIComponent(directory)}`
    const imported = (await ask(`/import/document?${there}`, init)).as(201, session)
    expect(imported).toMatchObject({ title: 'Soup “ü”', directory, parentID: null })
    const parts = async (of: typeof id) => (await bough.messages(of)).map((message) => message.parts)
    expect(await parts(imported.id)).toEqual(await parts(id))
    const half = parseSessionDocument('it', (await get(`/session/${id}/export?at=${first}`)).text)
    expect(half.messages.at(-1)?.id).toBe(first)
    const markdown = await get(`/session/${id}/export?format=md`)
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(markdown.text).toMatch(/^# Soup “ü”\n.*hello/s)
    ;(await get(`/session/${unknown.session}/export`)).refused(404, 'not_found')
    ;(await get(`/session/${id}/export?at=${unknown.message}`)).refused(404, 'not_found')
    ;(await ask(`/import/document?${there}`, { ...init, body: '{}' })).refused(400, 'document_invalid')
    ;(await ask(`/import/document?${there}`, { ...init, body: 'no JSON' })).refused(400, 'document_invalid')
  })

  it('tells its files at a message, and how they differ from those of now', async () => {
    const { get, session: begin, turn, directory } = await openServed({ files: { 'a.txt': 'a\n' } })
    const id = await begin()
    const first = await turn(id, 'write a.txt: one')
    await turn(id, 'write b.txt: two')
    writeFileSync(join(directory, 'c.txt'), 'three\n')
    const at = (await get(`/session/${id}/files?at=${first}`)).as(200, routes.files.result)
    expect(at.changes).toEqual([{ path: 'a.txt', change: 'changed' }])
    expect(at.workspace?.changes).toEqual([
      { path: 'b.txt', change: 'added' },
      { path: 'c.txt', change: 'added' },
    ])
    const last = (await get(`/session/${id}/files?workspace=false`)).as(200, routes.files.result)
    expect(last).toMatchObject({ changes: [{ path: 'b.txt', change: 'added' }], workspace: null })
    ;(await get(`/session/${id}/files?at=${unknown.message}`)).refused(404, 'not_found')
    ;(await get(`/session/${unknown.session}/files`)).refused(404, 'not_found')
  })

  it('tells how a person goes on with it in its agent’s own tool', async () => {
    const { get, bough, directory, session: begin } = await openServed()
    const { id } = await bough.create({ directory, agent: 'scripted' })
    await (await bough.send(id, 'hello')).ended
    const command = (await get(`/session/${id}/resume`)).as(200, routes.ownCommand.result)
    expect(command).toEqual({ command: ['true'], directory })
    ;(await get(`/session/${await begin()}/resume`)).refused(400, 'bad_input')
    ;(await get(`/session/${unknown.session}/resume`)).refused(404, 'not_found')
  })
})

describe('POST /session/{id}/message', () => {
  it('answers 202 with the ids when the prompt is stored, and the turn goes on', async () => {
    const { post, session: begin, agent, bough } = await openServed()
    const id = await begin()
    const sent = (await post(`/session/${id}/message`, { text: 'sleep 1' })).as(202, routes.send.result)
    expect(sent).toMatchObject({ sessionID: id, messageID: (await bough.messages(id))[0]?.id })
    await agent.held(1)
    const turn = await bough.follow(id, sent.turnID)
    agent.release(1)
    expect(await turn?.ended).toEqual({ outcome: 'finished', reason: null })
  })

  it('streams the whole turn to who accepts events, and ends', async () => {
    const { events, session: begin, bough } = await openServed()
    const id = await begin()
    const told = await Array.fromAsync(events(`/session/${id}/message`, { text: 'hello' }))
    const [first] = await bough.messages(id)
    expect(told[0]).toMatchObject({
      name: 'turn',
      data: { turn: { sessionID: id, prompt: { id: first?.id } } },
    })
    expect(told.at(-1)).toEqual({
      ...{ name: 'ended', data: { type: 'ended', end: { outcome: 'finished', reason: null } } },
    })
    expect(new Set(told.map(({ name }) => name))).toEqual(new Set(['turn', 'message', 'text', 'ended']))
  })

  it('goes on where its reader leaves in the middle', async () => {
    const { events, session: begin, bough, agent } = await openServed()
    const id = await begin()
    for await (const { name } of events(`/session/${id}/message`, { text: 'words 3\nsleep 1' }))
      if (name === 'text') break
    const turn = await bough.follow(id)
    agent.release(1)
    expect(await turn?.ended).toEqual({ outcome: 'finished', reason: null })
  })

  it('is refused as JSON also to who accepts events, as long as nothing was sent', async () => {
    const { ask, session: begin } = await openServed()
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' }
    const body = JSON.stringify({ text: 'hello' })
    const nobody = await ask(`/session/${unknown.session}/message`, { method: 'POST', headers, body })
    nobody.refused(404, 'not_found')
    const empty = { method: 'POST', headers, body: '{"text": " "}' }
    ;(await ask(`/session/${await begin()}/message`, empty)).refused(400, 'bad_input')
  })
})

describe('what is asked in another way', () => {
  it('may be whether the server is well, without a token; nothing else is', async () => {
    const { server, post } = await openServed()
    const health = await fetch(`${server.url}/health`)
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok', version: '0.0.0' }])
    for (const path of ['/session', '/openapi.json', '/nothing']) {
      const answer = await fetch(server.url + path)
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      await answer.text()
    }
    expect((await post('/time')).status).toBe(204)
  })

  it('HEAD is what GET would be, without a body', async () => {
    const { ask, get, session: begin } = await openServed()
    const id = await begin()
    for (const path of [
      '/health',
      '/session',
      `/session/${id}`,
      `/session/${id}/line`,
      `/session/${id}/export`,
    ]) {
      const [head, whole] = [await ask(path, { method: 'HEAD' }), await get(path)]
      expect([head.status, head.text, head.headers.get('content-type')]).toEqual([
        ...[200, '', whole.headers.get('content-type')],
      ])
    }
    expect((await ask(`/session/${unknown.session}`, { method: 'HEAD' })).status).toBe(404)
  })

  it('HEAD of a stream is answered whole: its connection is free for what comes next', async () => {
    const { server, session: begin, bough, turn } = await openServed()
    const id = await begin()
    await turn(id, 'hello')
    const { id: turnID } = await bough.send(id, 'sleep 60')
    onTestFinished(async () => void (await bough.abort(id)))
    const head = `Host: ${new URL(server.url).host}\r\nAuthorization: Bearer ${server.token}\r\n`
    for (const path of ['/event', `/session/${id}/turn?turnID=${turnID}`]) {
      const first = `HEAD ${path} HTTP/1.1\r\n${head}Accept: text/event-stream\r\n\r\n`
      const next = `GET /health HTTP/1.1\r\n${head}Connection: close\r\n\r\n`
      const said = await speak(server, first + next)
      expect([said?.status, said?.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
      expect(said?.body).toMatch(/^HTTP\/1\.1 200 OK\r\n.*"status":"ok"/s)
    }
  })

  it('is told what fits, where one of several things would', async () => {
    const { get, post, session: begin } = await openServed()
    const id = await begin()
    expect((await get('/session?limit=0')).text).toContain('whole, from 1 to 1000.')
    expect((await post('/run', { where: 'soup', prompt: 'hello' })).text).toContain(
      'of a channel, chn_…, or of a session, ses_….',
    )
    expect((await post('/files/compare', { a: { session: id }, b: { sessionID: id } })).text).toContain(
      'by a snapshotID, or by a directory.',
    )
  })

  it('is told which methods a path takes, and that there is nothing at another', async () => {
    const { ask, session: begin } = await openServed()
    const id = await begin()
    for (const method of ['PUT', 'OPTIONS']) {
      const answer = await ask(`/session/${id}`, { method })
      answer.refused(405, 'method_not_allowed')
      expect(answer.headers.get('allow')?.split(', ')).toEqual(
        expect.arrayContaining(['GET', 'PATCH', 'DELETE']),
      )
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
      ;(await ask('/nothing', { method })).refused(404, 'not_found')
    }
    ;(await ask('/health', { method: 'POST' })).refused(405, 'method_not_allowed')
  })
})
