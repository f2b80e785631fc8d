import type { IncomingHttpHeaders } from 'node:http'
import { expect, it } from 'vitest'
import { Gate } from './gate.ts'

const token = 'a token of some length'

const gate = (host = '127.0.0.1', names: readonly string[] = []) => new Gate({ token, host, names })
const callerOf = (headers: IncomingHttpHeaders, port = 4517, url = '/health') => ({
  headers,
  rawHeaders: Object.entries(headers).flatMap(([name, value]) => [name, String(value)]),
  url,
  port,
})
const refusal = (act: () => void): string => {
  try {
    act()
    return 'let in'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

it('takes the token and nothing else, of whatever length: no comparison fails by itself', () => {
  const given = [
    '',
    'a',
    token.slice(1),
    `${token}x`,
    'x'.repeat(token.length),
    'ä'.repeat(token.length),
    '\0',
  ]
  for (const wrong of given)
    expect(refusal(() => gate().checkToken({ authorization: `Bearer ${wrong.replaceAll(' ', '-')}` }))).toBe(
      'unauthorized',
    )
  const plain = new Gate({ token: 'token-of-some-length', host: '127.0.0.1', names: [] })
  expect(refusal(() => plain.checkToken({ authorization: 'Bearer token-of-some-length' }))).toBe('let in')
  expect(refusal(() => plain.checkToken({}))).toBe('unauthorized')
})

it('is called by its own names and port only', () => {
  const called = (host: string | undefined, on = '127.0.0.1', names: readonly string[] = []) =>
    refusal(() => gate(on, names).checkOrigin(callerOf(host === undefined ? {} : { host })))
  for (const host of ['localhost:4517', '127.0.0.1:4517', '[::1]:4517', 'LocalHost:4517'])
    expect(called(host)).toBe('let in')
  for (const host of [
    undefined,
    '',
    'evil.example:4517',
    'localhost',
    'localhost:80',
    '10.0.0.1:4517',
    'a/b:4517',
  ])
    expect(called(host)).toBe('forbidden')
  expect(called('box.lan:4517', 'box.lan')).toBe('let in')
  expect(called('box.lan', '127.0.0.1', ['box.lan'])).toBe('let in')
  expect(called('box.lan:8443', '127.0.0.1', ['Box.lan:8443'])).toBe('let in')
})

it('is called by its address however that is written', () => {
  const host = '::FFFF:127.0.0.1'
  const headers = { host: '[::ffff:127.0.0.1]:4517' }
  expect(refusal(() => gate(host).checkOrigin(callerOf(headers)))).toBe('let in')
})

it('on all addresses, any address is its own, but no name', () => {
  const called = (host: string) => refusal(() => gate('0.0.0.0').checkOrigin(callerOf({ host })))
  for (const host of ['192.168.0.7:4517', '[fe80::1]:4517', 'localhost:4517'])
    expect(called(host)).toBe('let in')
  for (const host of ['evil.example:4517', '192.168.0.7:4518']) expect(called(host)).toBe('forbidden')
})

it('port 80 is not written', () => {
  expect(refusal(() => gate().checkOrigin(callerOf({ host: 'localhost' }, 80)))).toBe('let in')
})

it('only its own pages call: the same name, the same port', () => {
  const from = (origin: string, host = 'localhost:4517') =>
    refusal(() => gate('127.0.0.1', ['box.lan']).checkOrigin(callerOf({ host, origin })))
  expect(from('http://localhost:4517')).toBe('let in')
  expect(from('https://box.lan', 'box.lan')).toBe('let in')
  for (const origin of [
    'http://localhost',
    'http://localhost:3000',
    'http://127.0.0.1:4517',
    'null',
    '',
    'http://box.lan',
  ])
    expect(from(origin)).toBe('forbidden')
})
