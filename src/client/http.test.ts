import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { until } from '../../test/support/until.ts'
import { sessionMethods } from './session-methods.ts'
import { answering, problem } from './testing/answering.ts'

const id = 'ses_01kc0123456789abcdefghjkmn'

const refused = (response: ServerResponse) => problem(404, 'not_found')(response.req, response)

test('only so many things are read at once: the others wait until one is answered, and all are', async () => {
  const open: ServerResponse[] = []
  const { http } = await answering((_, response) => open.push(response))
  const { session, change } = sessionMethods(http)
  const reading = Array.from({ length: 40 }, () => session(id))
  const ends = Promise.allSettled(reading)
  for (const many of [16, 16, 8]) {
    await until('as many as may come', () => open.length === many)
    // What changes something waits for nobody: so all that would come with it has come, too.
    const changing = change(id, { title: 'Leek' })
    await until('the change', () => open.some(({ req }) => req.method === 'PATCH'))
    expect(open).toHaveLength(many + 1)
    for (const response of open.splice(0)) refused(response)
    await expect(changing).rejects.toMatchObject({ code: 'not_found' })
  }
  expect(await ends).toMatchObject(reading.map(() => ({ status: 'rejected', reason: { code: 'not_found' } })))
})
