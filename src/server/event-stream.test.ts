import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as nextTick } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { count, seed } from '../../test/support/size.ts'
import { until } from '../../test/support/until.ts'
import { Http } from '../client/http.ts'
import type { TurnEvent } from '../tree/turn.ts'
import { turnRoutes } from '../wire/routes/turns.ts'
import { EventStream, encodeEvent } from './event-stream.ts'

/** A server that answers every request with what `answer` does. */
async function serving(answer: (response: ServerResponse) => void): Promise<{ url: string; port: number }> {
  const server = createServer((_, response) => answer(response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = asAddress(server.address())
  return { url: `http://127.0.0.1:${port}`, port }
}

function asAddress(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('It has no address.')
  return address
}

/** A stream on the server's side, and the one who reads it and can stop doing so. */
async function newStream() {
  const opened = Promise.withResolvers<{ stream: EventStream; response: ServerResponse }>()
  const { url } = await serving((response) => {
    opened.resolve({ stream: EventStream.open(response), response })
  })
  const request = get(url, { agent: false })
  onTestFinished(() => void request.destroy())
  request.on('error', () => {})
  const answer = await new Promise<IncomingMessage>((resolve) => request.on('response', resolve))
  answer.on('error', () => {})
  return { ...(await opened.promise), request, answer }
}

/** Until the system takes no more of it. */
async function fillUp(stream: EventStream): Promise<void> {
  while (stream.waiting < 1_000_000) {
    stream.write('x'.repeat(1_000_000))
    await nextTick()
  }
}

const odd = [
  ...['', ' ', '\n', '\r', '\r\n', '\n\n', 'data: x\n\nid: 9\nevent: y', ': ', '\0', '\u2028', '\u2029'],
  ...['\ufeff', '🌳', '\ud83c', '\udf33', '"', '\\', '\\n', '\x7f', '\u0085', 'é'],
]
const oddText = fc.array(fc.constantFrom(...odd, 'a'), { maxLength: 12 }).map((pieces) => pieces.join(''))
const says = (text: string): TurnEvent => ({ type: 'text', messageID: `msg_${'0'.repeat(26)}`, text })

test('What is encoded is one event with its name and its number, and has the same words when it is read', () => {
  fc.assert(
    fc.property(oddText, fc.option(fc.nat(), { nil: undefined }), (text, id) => {
      const seen: unknown[] = []
      const parser = createParser({
        onEvent: (event) => seen.push({ ...event, data: JSON.parse(event.data) }),
      })
      parser.feed(encodeEvent(says(text), id))
      expect(seen).toEqual([
        { event: 'text', id: id === undefined ? undefined : String(id), data: says(text) },
      ])
    }),
    { numRuns: count(3000, 300), seed: seed() },
  )
})

test('The client reads the same words, wherever the bytes are cut in pieces', async () => {
  const texts = fc.array(oddText, { minLength: 1, maxLength: 5 })
  const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 40 }))
  await fc.assert(
    fc.asyncProperty(texts, sizes, async (said, pieces) => {
      const { url } = await serving(async (response) => {
        const stream = EventStream.open(response)
        const bytes = Buffer.from(said.map((text) => encodeEvent(says(text))).join(''))
        for (let at = 0; at < bytes.length; ) {
          const size = pieces.next().value ?? 1
          response.write(bytes.subarray(at, at + size))
          at += size
          await nextTick()
        }
        stream.end()
      })
      const http = new Http({ url, token: 'a token' })
      const events = await http.open(turnRoutes.follow, { params: { id: `ses_${'0'.repeat(26)}` } })
      expect(await Array.fromAsync(events)).toEqual(said.map(says))
      http.close()
    }),
    { numRuns: count(200, 20), seed: seed() },
  )
})

test('whoever waits until the reader has taken what was sent goes on when it has, and when it is gone', async () => {
  const { stream, response, request, answer } = await newStream()
  answer.pause()
  const fill = () => {
    while (!response.writableNeedDrain) stream.write('x'.repeat(100_000))
  }
  fill()
  for (let i = 0; i < 20; i++) {
    const drained = stream.drained()
    answer.resume()
    await drained
    answer.pause()
    fill()
  }
  expect(response.listenerCount('drain'), 'nothing is left of the waiting').toBeLessThan(3)
  await fillUp(stream)
  const drained = stream.drained()
  request.destroy()
  await drained
  expect(stream.over.aborted).toBe(true)
  await stream.drained()
  stream.write('nobody hears it')
})

test('a reader for whom something waits, and who takes nothing for a minute, is cut off', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { stream, answer } = await newStream()
  answer.pause()
  await fillUp(stream)
  const drained = stream.drained()
  vi.advanceTimersByTime(59_000)
  expect(stream.over.aborted).toBe(false)
  vi.advanceTimersByTime(1_000)
  await drained
  expect(stream.over.aborted).toBe(true)
})

test('a reader that is given up can still take what was sent to it', async () => {
  const { stream, answer } = await newStream()
  stream.send({ kind: 'last', words: 'Come back.' })
  stream.endWithin(600_000)
  expect(stream.over.aborted).toBe(true)
  answer.setEncoding('utf8')
  expect((await Array.fromAsync(answer)).join('')).toContain('Come back.')
})

test('a reader that does not take it within the grace is cut off', async () => {
  const opened = Promise.withResolvers<EventStream>()
  const { port } = await serving((response) => opened.resolve(EventStream.open(response)))
  const socket: Socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  const stream = await opened.promise
  socket.pause()
  await fillUp(stream)
  stream.endWithin(20)
  await until('nothing waits any more', () => stream.waiting === 0)
  socket.resume()
  await once(socket, 'close')
})
