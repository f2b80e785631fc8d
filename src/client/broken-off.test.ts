import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { sessionMethods } from './session-methods.ts'
import { answering, streamThatEnds } from './testing/answering.ts'
import { turnMethods } from './turn-methods.ts'

const id = 'ses_01kc0123456789abcdefghjkmn'

const lines =
  (...texts: readonly string[]): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(`${texts.join('\n')}\n`)
  }

test.each([
  ['no message', '{"id":1}'],
  ['no JSON', '<h1>Bad gateway</h1>'],
])('a line with %s in it is told in words', async (_, line) => {
  const { http } = await answering(lines(line))
  const reading = Array.fromAsync(sessionMethods(http).line(id))
  await expect(reading).rejects.toMatchObject({
    ...{ code: 'server_failed', message: expect.stringContaining('Use the same version on both sides.') },
  })
})

test('who sends a prompt to a server that goes away is told how to find out whether it is there', async () => {
  const { http } = await answering(streamThatEnds())
  await expect(turnMethods(http).send(id, 'hello')).rejects.toMatchObject({
    ...{ code: 'server_unreachable', message: expect.stringContaining('else send it again.') },
  })
})

test('who borrows a session of a server that goes away is told what becomes of it', async () => {
  const { http } = await answering(streamThatEnds())
  await expect(turnMethods(http).lend(id, async () => {})).rejects.toMatchObject({
    ...{
      code: 'server_unreachable',
      message: expect.stringContaining('joins the session when it is opened'),
    },
  })
})
