import { describe, expect, it } from 'vitest'
import { newHome } from './support/bough.ts'
import { unknown } from './support/bough-suite/ground.ts'
import { describedBy } from './support/openapi.ts'
import { operationsOf } from './support/operations.ts'
import { serveForTest } from './support/server.ts'

const json = 'application/json'
const problem = { type: 'about:blank', title: 'No', status: 404, code: 'not_found', detail: 'No.' }
const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

describe('the description of the server', () => {
  it('tells answers that are as it says from others', async () => {
    const description = await describedBy(await serveForTest(await newHome()))
    const check = (method: string, path: string, status: number, type: string | null, body: unknown) => () =>
      description.checkResponse(
        method,
        path,
        status,
        type,
        typeof body === 'string' ? body : JSON.stringify(body),
      )

    const health = { status: 'ok', version: '1' }
    expect(check('GET', '/health', 200, json, health)).not.toThrow()
    expect(check('GET', '/health?x=1', 404, 'application/problem+json', problem)).not.toThrow()
    expect(check('GET', '/health', 200, json, { ...health, more: 1 })).toThrow(/additional/)
    expect(check('GET', '/health', 200, json, { ...health, status: 'fine' })).toThrow()
    expect(check('GET', '/health', 200, json, { status: 'ok' })).toThrow(/version/)
    expect(check('GET', '/health', 200, json, '{')).toThrow()
    expect(check('GET', '/health', 202, json, health)).toThrow(/202/)
    expect(check('GET', '/health', 200, 'text/plain', 'fine')).toThrow(/text\/plain/)
    expect(check('GET', '/health', 404, json, problem)).toThrow()
    expect(check('GET', '/health', 404, 'application/problem+json', { ...problem, code: 1 })).toThrow()
    expect(check('PUT', '/health', 405, 'application/problem+json', problem)).not.toThrow()
    expect(check('PUT', '/health', 200, json, health)).toThrow()
    expect(check('GET', '/nothing', 200, json, health)).toThrow()
    expect(check('POST', '/time', 204, null, '')).not.toThrow()
    expect(check('POST', '/time', 204, null, 'done')).toThrow()
  })

  it('has what schemas say of themselves: in which unit times are', async () => {
    const { operations, schemas } = await operationsOf(await serveForTest(await newHome()))
    const bodyOf = (name: string) => operations.find((each) => each.name === name)?.body?.properties
    expect(schemas.Session?.properties?.created?.description).toBe('Milliseconds since 1970.')
    expect(bodyOf('addReminder')?.at?.description).toBe('Milliseconds since 1970.')
    // A run is given minutes, and tells milliseconds.
    expect(bodyOf('runBackground')?.timeout?.description).toMatch(/^Minutes/)
    expect(schemas.SideFork?.properties?.timeout?.anyOf?.[0]?.description).toMatch(/^Milliseconds/)
  })

  it('has no answer without a body where there is nothing but a stream', async () => {
    const description = await describedBy(await serveForTest(await newHome()))
    const { session, channel } = unknown
    for (const [method, path] of [
      ['GET', '/event'],
      ['POST', `/session/${session}/resume`],
      ['POST', `/channel/${channel}/attend`],
    ] as const) {
      expect(() => description.checkResponse(method, path, 204, null, '')).toThrow(/204/)
      expect(() => description.checkResponse(method, path, 200, 'text/event-stream', '')).not.toThrow()
    }
  })

  it('names the headers by which one gets on: after an event, and to the next page', async () => {
    const server = await serveForTest(await newHome())
    const { operations } = await operationsOf(server)
    const headers = operations.flatMap(({ name, parameters }) =>
      parameters.flatMap((each) => (each.in === 'header' ? [`${name}: ${each.name}`] : [])),
    )
    expect(headers).toEqual(['events: Last-Event-ID'])
    expect(operations.filter(({ isPaged }) => isPaged).map(({ name }) => name)).toEqual([
      'sessions',
      'messages',
    ])
  })

  it('does so for each event of a stream and for each line of a line', async () => {
    const description = await describedBy(await serveForTest(await newHome()))
    const stream = (body: string) => () =>
      description.checkResponse('GET', '/event', 200, 'text/event-stream; charset=utf-8', body)
    const open = event('open', { kind: 'open', seq: 3 })
    const created = { kind: 'session.created', seq: 4, at: 5, sessionID: unknown.session }
    expect(
      stream(`${open}:\n\n${event('session.created', created)}${event('problem', problem)}`),
    ).not.toThrow()
    expect(stream(open + event('session.created', { ...created, seq: 'x' }))).toThrow()
    expect(stream(open + event('session.updated', created))).toThrow(/named/)
    expect(stream(open + event('problem', { ...problem, detail: null }))).toThrow()
    expect(stream('event: open\ndata: {\n\n')).toThrow()

    const lines = (body: string) => () =>
      description.checkResponse('GET', `/session/${unknown.session}/line`, 200, 'application/x-ndjson', body)
    const message = {
      ...{ id: unknown.message, sessionID: unknown.session, seq: 1, role: 'user', text: '', parts: [] },
      ...{ status: 'complete', nativeID: null, usage: null, snapshot: null, created: 1 },
    }
    const line = `${JSON.stringify(message)}\n`
    expect(lines(line + line)).not.toThrow()
    expect(lines(`${line}{}\n`)).toThrow()
    expect(lines(line + line.trim())).toThrow(/does not end/)
  })
})
