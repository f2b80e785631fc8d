import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createWorld, type World } from './run-bough.ts'
import { serveForTest } from './server.ts'
import { count } from './size.ts'

const all: readonly { readonly name: string; open(): Promise<World> }[] = [
  { name: 'here', open: async () => createWorld() },
  { name: 'through a server', open: servedWorld },
]

/**
 * A suite of commands runs in each of these: what it says has to be true with a server, too. The second run takes as long as
 * the first, so it is one of `npm run test:long`.
 */
export const worlds = all.slice(0, count(all.length, 1))

/** A world whose commands go to a server; whoever runs them has a home of their own, and nothing may come to be there. */
export async function servedWorld(): Promise<World> {
  const world = createWorld()
  const { home: data, project } = world
  const { url, token } = await serveForTest({ data, config: join(data, 'config.json'), project })
  const elsewhere = `${data}-of-the-client`
  Object.assign(world.env, { BOUGH_HOME: elsewhere, BOUGH_SERVER: url, BOUGH_TOKEN: token })
  onTestFinished(() => expect(existsSync(elsewhere)).toBe(false))
  return world
}
