import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { isTaken } from './port-taken.ts'

it('a port is taken while somebody listens there', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('It listens at no port.')
  expect(await isTaken(address.port)).toBe(true)
  server.close()
  await once(server, 'close')
  expect(await isTaken(address.port)).toBe(false)
})
