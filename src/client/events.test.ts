import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { until } from '../../test/support/until.ts'
import type { TreeEvent } from '../tree/event.ts'
import type { Message } from '../tree/message.ts'
import type { TurnEnd, TurnEvent } from '../tree/turn.ts'
import { attend } from './attend.ts'
import { events } from './events.ts'
import { givingUp } from './give-up.ts'
import type { Http } from './http.ts'
import { RemoteTurn, type TurnFacts } from './remote-turn.ts'
import { answering, page, problem, stream, streamThatEnds } from './testing/answering.ts'

const opened = { kind: 'open', seq: 1 }
const changed = (seq: number): TreeEvent => ({
  kind: 'session.updated',
  sessionID: 'ses_01kc0123456789abcdefghjkmn',
  seq,
  at: 1,
})

async function read(http: Http, count: number) {
  const over = new AbortController()
  const seen: number[] = []
  const away: boolean[] = []
  for await (const { seq } of events(http, {
    signal: over.signal,
    away: (isAway) => {
      if (away.at(-1) !== isAway) away.push(isAway)
    },
  })) {
    seen.push(seq)
    if (seen.length === count) over.abort()
  }
  return { seen, away }
}

test('events come again after a server failed, something else answered, or it was not to be read', async () => {
  const { http } = await answering(
    streamThatEnds(opened, changed(2)),
    page(502),
    problem(500, 'server_failed'),
    problem(503, 'store_busy'),
    streamThatEnds('{"kind":'),
    streamThatEnds({ kind: 'nonsense' }),
    stream({ kind: 'open', seq: 2 }, changed(3)),
  )
  expect(await read(http, 2)).toEqual({ seen: [2, 3], away: [false, true, false] })
})

test('events end where the server refuses', async () => {
  const { http } = await answering(streamThatEnds(opened, changed(2)), problem(401, 'unauthorized'))
  await expect(read(http, 2)).rejects.toThrow('It is unauthorized.')
})

test('events end at once where what answers has never been a bough', async () => {
  const { http } = await answering(page(502))
  await expect(read(http, 1)).rejects.toThrow('The server failed, and did not say why.')
})

test('a channel is attended again after a server failed, and not any more where it is gone', async () => {
  const attending = { kind: 'attending' }
  const { http, asked } = await answering(
    streamThatEnds(attending),
    page(502),
    streamThatEnds('{"kind":'),
    streamThatEnds(attending),
    problem(404, 'not_found'),
  )
  const never = () => Promise.reject(new Error('It is not called.'))
  const leave = await attend(http, 'chn_1', { show: never, send: never, edit: never, ask: never })
  await until('it attends again, and is told that the channel is gone', () => asked() === 5)
  await leave()
  expect(asked()).toBe(5)
})

const someID = '01kc0123456789abcdefghjkmn'
const prompt: Message = {
  ...{ id: `msg_${someID}`, sessionID: `ses_${someID}`, seq: 1, role: 'user', text: 'hello', parts: [] },
  ...{ status: 'complete', nativeID: null, usage: null, snapshot: null, created: 0 },
}
const turn: TurnFacts = { id: `trn_${someID}`, sessionID: prompt.sessionID, prompt }

test('a turn is followed again after a server failed, something else answered, or it was not to be read', async () => {
  const says = (text: string): TurnEvent => ({ type: 'text', messageID: prompt.id, text })
  const end: TurnEnd = { outcome: 'finished', reason: null }
  const { http } = await answering(
    page(502),
    streamThatEnds({ type: 'turn', turn }, says('one')),
    problem(503, 'store_busy'),
    problem(500, 'server_failed'),
    streamThatEnds('{"type":'),
    stream({ type: 'turn', turn }, says('one two'), { type: 'ended', end }),
  )
  const told = await Array.fromAsync(new RemoteTurn(http, turn).events)
  expect(told).toEqual([says('one'), says(' two'), { type: 'ended', end }])
})

test('a turn is not followed any more where the server refuses', async () => {
  const { http } = await answering(
    streamThatEnds({ type: 'turn', turn }),
    page(502),
    problem(404, 'not_found'),
  )
  const { ended } = new RemoteTurn(http, turn)
  expect(await ended).toEqual({ outcome: 'interrupted', reason: 'It is not_found.' })
})

test('what is given up is given up also after something else answered in between', async () => {
  const given: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"givenUp":true}')
  }
  const { http, asked } = await answering(page(502), problem(503, 'store_busy'), given)
  const person = new AbortController()
  const work = Promise.withResolvers<void>()
  const giving = givingUp(http, person.signal, () => work.promise)
  person.abort()
  await until('the server to be told', () => asked() === 3)
  work.resolve()
  await giving
})
