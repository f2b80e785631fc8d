import { describe, expect, it } from 'vitest'
import { createOfflineDriver } from '../src/agents/offline/offline.ts'
import type { Route } from '../src/wire/route.ts'
import { routes } from '../src/wire/routes.ts'
import { newHome } from './support/bough.ts'
import { expectGuarded, problemIn } from './support/guarded.ts'
import { ask, open, type RawRequest, speak } from './support/raw-http.ts'
import { serveForTest } from './support/server.ts'
import { StoreDigest } from './support/store-digest.ts'

type Settings = Parameters<typeof serveForTest>[1]

async function start(settings: Settings = {}) {
  const home = await newHome()
  const server = await serveForTest(home, { bough: { drivers: [createOfflineDriver()] }, ...settings })
  return { home, server, bearer: `Bearer ${server.token}`, port: new URL(server.url).port }
}

const someID = '01kc0000000000000000000000'
const prefixes: Readonly<Record<string, string>> = {
  channel: 'chn',
  routine: 'sch',
  permission: 'per',
  run: 'ses',
}

/** A path of the route that names things which could be there. */
const pathOf = ({ path }: Route): string =>
  path.replace(/\{\w+\}/, `${prefixes[path.split('/')[1] ?? ''] ?? 'ses'}_${someID}`)

const allRoutes = Object.entries<Route>(routes)
const closedRoutes = allRoutes.filter(([, { needsNoToken }]) => !needsNoToken)

const json = { 'content-type': 'application/json' }

describe('the token', () => {
  it('is asked for by every route but two, and without it nothing changes', async () => {
    expect(allRoutes.flatMap(([name, { needsNoToken }]) => (needsNoToken ? name : []))).toEqual([
      'health',
      'signIn',
    ])
    const { home, server } = await start()
    await server.bough.create({ directory: home.project, title: 'One' })
    const digest = StoreDigest.open(home.data)
    const before = digest.tables()
    for (const [name, route] of closedRoutes) {
      for (const path of [
        pathOf(route),
        `${pathOf(route)}?token=${server.token}&access_token=${server.token}`,
      ]) {
        const answer = await ask(server, { method: route.method, path, headers: json, body: '{}' })
        expect([name, answer.status]).toEqual([name, 401])
        expect(problemIn(answer).code).toBe('unauthorized')
        expect(answer.headers['www-authenticate']).toBe('Bearer')
        expectGuarded(answer)
      }
    }
    for (const path of ['/openapi.json', '/nothing', '/session/x/y/z', '/%00'])
      expect((await ask(server, { path })).status).toBe(401)
    expect(digest.tables()).toEqual(before)
    digest.close()
    expect(server.faults).toEqual([])
  })

  it('counts only whole, as it is, and in its header', async () => {
    const { server, bearer } = await start()
    const { token } = server
    const swapped = token.replace(/[a-z]/, (letter) => letter.toUpperCase())
    const wrong: readonly RawRequest['headers'][] = [
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: 'Bearer ' },
      { authorization: token },
      { authorization: `Bearer ${crypto.randomUUID()}` },
      { authorization: `Bearer ${token.slice(0, -1)}` },
      { authorization: `Bearer ${token}x` },
      { authorization: `Bearer ${token}\u00a0` },
      { authorization: `Bearer ${token} ${token}` },
      { authorization: `Bearer ${token},${token}` },
      { authorization: `Bearer "${token}"` },
      { authorization: `Bearer ${swapped}` },
      { authorization: `Bearer ${'a'.repeat(10_000)}` },
      { authorization: `Basic ${Buffer.from(`:${token}`).toString('base64')}` },
      { authorization: `Basic ${token}` },
      { authorization: `Token ${token}` },
      { cookie: `token=${token}; authorization=Bearer ${token}` },
      { 'x-api-key': token },
      { 'proxy-authorization': `Bearer ${token}` },
    ]
    for (const headers of wrong) {
      const answer = await ask(server, { path: '/session', ...(headers && { headers }) })
      expect([headers, answer.status]).toEqual([headers, 401])
      expect(answer.body).not.toContain(token)
      expectGuarded(answer)
    }
    const twice = await speak(
      server,
      `GET /session HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nAuthorization: Bearer wrong\r\nAuthorization: ${bearer}\r\nConnection: close\r\n\r\n`,
    )
    expect(twice?.status).toBe(401)
    for (const authorization of [bearer, `bearer ${token}`, `BEARER  ${token}`])
      expect((await ask(server, { path: '/session', headers: { authorization } })).status).toBe(200)
  })

  it('is in no answer, also not in one to somebody who has it', async () => {
    const { server, bearer } = await start()
    for (const [, route] of closedRoutes.filter(([name]) => name !== 'events')) {
      const answer = await ask(server, {
        method: route.method,
        path: pathOf(route),
        headers: { authorization: bearer, ...json },
        body: JSON.stringify({ code: server.token, key: 'k' }),
      })
      expect(answer.body).not.toContain(server.token)
      expectGuarded(answer)
    }
  })

  it('goes to a page for a code that counts once', async () => {
    const { server } = await start()
    const code = new URL(server.newLink()).hash.slice(1)
    // 24 bytes of chance: nobody guesses that in ten minutes.
    expect(Buffer.from(code, 'base64url').length).toBeGreaterThanOrEqual(16)
    const exchange = (given: unknown) =>
      ask(server, { method: 'POST', path: '/sign-in', headers: json, body: JSON.stringify({ code: given }) })
    expect((await exchange(`${code}x`)).status).toBe(401)
    expect((await exchange('__proto__')).status).toBe(401)
    const foreign = await ask(server, {
      method: 'POST',
      path: '/sign-in',
      headers: { ...json, origin: 'http://evil.example' },
      body: JSON.stringify({ code }),
    })
    expect(foreign.status).toBe(403)
    const good = await exchange(code)
    expect(JSON.parse(good.body)).toEqual({ token: server.token })
    expectGuarded(good)
    const again = await exchange(code)
    expect([again.status, problemIn(again).code]).toEqual([401, 'unauthorized'])
  })
})

describe('where a request comes from', () => {
  it('a foreign page, a foreign name and another port are refused, also with the token and also for /health', async () => {
    const { server, bearer, port } = await start()
    const foreign: readonly NonNullable<RawRequest['headers']>[] = [
      { origin: 'http://evil.example' },
      { origin: `http://evil.example:${port}` },
      { origin: 'null' },
      { origin: '' },
      { origin: 'file://' },
      { origin: 'chrome-extension://abcdef' },
      { origin: `http://localhost.evil.example:${port}` },
      { origin: `http://127.0.0.1.evil.example:${port}` },
      { origin: `http://127.0.0.1:${port}@evil.example` },
      { origin: `http://evil.example#127.0.0.1:${port}` },
      // Another server on this machine has pages too.
      { origin: 'http://127.0.0.1' },
      { origin: `http://127.0.0.1:${Number(port) - 1}` },
      { origin: `http://localhost:${port}` },
      { host: 'evil.example' },
      { host: `evil.example:${port}` },
      { host: `localhost.evil.example:${port}` },
      { host: `127.0.0.1.nip.io:${port}` },
      { host: '127.0.0.1' },
      { host: `127.0.0.1:${Number(port) - 1}` },
      { host: `localhost:${Number(port) + 1}` },
      { host: `0.0.0.0:${port}` },
      { host: `192.168.0.1:${port}` },
      { host: '' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'nonsense' },
    ]
    for (const headers of foreign)
      for (const path of ['/health', '/session', '/openapi.json', '/nothing', '/']) {
        const answer = await ask(server, { path, headers: { authorization: bearer, ...headers } })
        expect([headers, path, answer.status]).toEqual([headers, path, 403])
        expect(problemIn(answer).code).toBe('forbidden')
        expectGuarded(answer)
      }
    for (const text of [
      'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n',
      'GET /health HTTP/1.0\r\n\r\n',
      // The name in the first line is not what is looked at, and changes nothing.
      `GET http://127.0.0.1:${port}/health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    ]) {
      const answer = await speak(server, text)
      expect(answer?.status).toBe(403)
      expectGuarded(answer)
    }
    // Which of two names counts must not be a question.
    const [own, foreignName] = [`127.0.0.1:${port}`, 'evil.example']
    for (const text of [
      `GET /health HTTP/1.1\r\nHost: ${foreignName}\r\nHost: ${own}\r\nConnection: close\r\n\r\n`,
      `GET /health HTTP/1.1\r\nHost: ${own}\r\nhOST: ${foreignName}\r\nConnection: close\r\n\r\n`,
      `GET /health HTTP/1.1\r\nHost: ${own}\r\nHost: ${own}\r\nConnection: close\r\n\r\n`,
      `GET http://${foreignName}/health HTTP/1.1\r\nHost: ${own}\r\nConnection: close\r\n\r\n`,
      `GET http://127.0.0.1/health HTTP/1.1\r\nHost: ${own}\r\nConnection: close\r\n\r\n`,
      `GET http://me@${own}/health HTTP/1.1\r\nHost: ${own}\r\nConnection: close\r\n\r\n`,
    ]) {
      const answer = await speak(server, text)
      expect([text, answer?.status]).toEqual([text, 400])
      problemIn(answer)
      expectGuarded(answer)
    }
    const whole = `GET http://${own}/health HTTP/1.1\r\nHost: ${own}\r\nConnection: close\r\n\r\n`
    expect((await speak(server, whole))?.status).toBe(200)
  })

  it('the server by its own names, its own page, and whoever is no browser are let in', async () => {
    const { server, port } = await start({ names: ['bough.example'] })
    const fine: readonly NonNullable<RawRequest['headers']>[] = [
      {},
      { host: `localhost:${port}` },
      { host: `LOCALHOST:${port}` },
      { host: `[::1]:${port}` },
      { host: 'bough.example' },
      { host: 'bough.example:8443', origin: 'https://bough.example:8443' },
      { host: `localhost:${port}`, origin: `http://localhost:${port}`, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
    ]
    for (const headers of fine) {
      const answer = await ask(server, { path: '/health', headers })
      expect([headers, answer.status]).toEqual([headers, 200])
      expectGuarded(answer)
    }
  })

  it('asking first, as browsers do before they send what is not theirs, gets nothing', async () => {
    const { server, bearer } = await start()
    for (const origin of ['http://evil.example', server.url])
      for (const path of ['/session', '/health', '/sign-in', '*'])
        for (const authorization of [undefined, bearer]) {
          const answer = await ask(server, {
            method: 'OPTIONS',
            path,
            headers: {
              origin,
              authorization,
              'access-control-request-method': 'POST',
              'access-control-request-headers': 'authorization, content-type',
            },
          })
          expect(answer.status).toBeGreaterThanOrEqual(400)
          expect(answer.status).toBeLessThan(500)
          expectGuarded(answer)
        }
  })
})

describe('what a request brings', () => {
  const withBody = allRoutes.filter(([, { method }]) => method === 'POST' || method === 'PATCH')

  it('anything but JSON is refused wherever a body is read', async () => {
    const { home, server, bearer } = await start()
    const { id } = await server.bough.create({ directory: home.project })
    const types = [
      'text/plain',
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'application/json-patch+json',
      'text/json',
      'image/png',
      undefined,
    ]
    const before = await server.bough.session(id)
    for (const [name, route] of withBody) {
      if (!Object.hasOwn(route.body, '_zod') || route.body === routes.health.body) continue
      const statuses = await Promise.all(
        types.map(async (type) => {
          const answer = await ask(server, {
            method: route.method,
            path: pathOf(route).replace(`ses_${someID}`, id),
            headers: { authorization: bearer, 'content-type': type },
            body: '{"title":"taken"}',
          })
          expectGuarded(answer)
          return answer.status
        }),
      )
      expect([name, new Set(statuses)]).toEqual([name, new Set([415])])
    }
    expect(await server.bough.session(id)).toEqual(before)
  })

  it('a body that says it is too large is refused before it comes, and the connection closed', async () => {
    const { server, bearer, port } = await start()
    for (const length of ['1000001', '99999999999999999', '1'.padEnd(30, '0')]) {
      const answer = await speak(
        server,
        `POST /session HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${bearer}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`,
      )
      // One that does not fit in a number is no length at all.
      expect([400, 413]).toContain(answer?.status)
      expectGuarded(answer)
      expect(answer?.headers.connection).toBe('close')
    }
  })

  it('one that goes on and on without a length is cut off, and takes no memory', async () => {
    const { server, bearer, port } = await start()
    const connection = open(server)
    connection.write(
      `POST /session HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${bearer}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    const piece = Buffer.alloc(1 << 20, 'x')
    const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
    const before = process.memoryUsage.rss()
    let isOpen = true
    void connection.closed.then(() => {
      isOpen = false
    })
    let sent = 0
    // Up to a gigabyte, if it were let.
    while (isOpen && sent < 1000) {
      sent++
      if (!connection.socket.write(chunk))
        await Promise.race([
          new Promise((resolve) => connection.socket.once('drain', resolve)),
          connection.closed,
        ])
    }
    const answer = await connection.closed
    expect(isOpen).toBe(false)
    expect(sent).toBeLessThan(200)
    expect(process.memoryUsage.rss() - before).toBeLessThan(300 << 20)
    // Whoever writes without reading may miss it: then the connection is closed, which is what counts.
    if (answer) expect([answer.status, problemIn(answer).code]).toEqual([413, 'too_large'])
    expect((await ask(server, { path: '/health' })).status).toBe(200)
  })

  it('a chunked body just over the limit is told so', async () => {
    const { server, bearer } = await start()
    const answer = await ask(server, {
      method: 'POST',
      path: '/session',
      headers: { authorization: bearer, ...json, 'transfer-encoding': 'chunked' },
      body: JSON.stringify({ title: 'x'.repeat(1_000_001) }),
    })
    expect([answer.status, problemIn(answer).code]).toEqual([413, 'too_large'])
    expectGuarded(answer)
  })

  it('a head or a body that comes too slowly is given up', async () => {
    const { server, bearer, port } = await start({
      patience: { headersTimeout: 150, requestTimeout: 300, connectionsCheckingInterval: 50 },
    })
    const head = `POST /session HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${bearer}\r\nContent-Type: application/json\r\nContent-Length: 20\r\n`
    for (const text of ['GET /health HTTP/1.1\r\nHost: 127', head, `${head}\r\n`, `${head}\r\n{"title":`]) {
      const answer = await speak(server, text)
      expect([answer?.status, problemIn(answer).code]).toEqual([408, 'too_slow'])
      expectGuarded(answer)
    }
    expect(await server.bough.sessions()).toEqual([])
    expect(server.faults).toEqual([])
  })

  it('what is no HTTP is answered with a problem, and nothing breaks', async () => {
    const { server, port } = await start()
    const host = `Host: 127.0.0.1:${port}\r\n`
    const nonsense = [
      'hello\r\n\r\n',
      `GET /health HTTP/9.9\r\n${host}\r\n`,
      `GET /health HTTP/1.1\r\n${host}X: ${'x'.repeat(100_000)}\r\n\r\n`,
      `GET /health HTTP/1.1\r\n${host}Bad Header: x\r\n\r\n`,
      `GET /health HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `POST /session HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`,
      `POST /session HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`,
      `POST /session HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      `GET /\0 HTTP/1.1\r\n${host}\r\n`,
      `GET /a\\b HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
      `GET /health HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n`,
      `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}@evil.example\r\nConnection: close\r\n\r\n`,
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    ]
    for (const text of nonsense) {
      const answer = await speak(server, text)
      expect([text.slice(0, 60), answer !== null]).toEqual([text.slice(0, 60), true])
      expect(answer?.status).toBeGreaterThanOrEqual(400)
      expect(answer?.status).toBeLessThan(500)
      problemIn(answer)
      expectGuarded(answer)
    }
    expect((await ask(server, { path: '/health' })).status).toBe(200)
    expect(server.faults).toEqual([])
  })

  it('an expectation that nobody knows and an upgrade that nobody offers change nothing', async () => {
    const { server } = await start()
    for (const headers of [
      { expect: 'miracles' },
      { connection: 'Upgrade', upgrade: 'websocket' },
      { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' },
    ]) {
      const answer = await ask(server, { path: '/session', headers })
      expect(answer.status).toBe(401)
      expectGuarded(answer)
    }
  })
})
