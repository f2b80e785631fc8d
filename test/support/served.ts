import { expect, onTestFinished } from 'vitest'
import { type Ground, type GroundOptions, opener } from './bough-suite/ground.ts'
import { type Fetching, fetching } from './fetching.ts'
import { serveForTest, type TestServer } from './server.ts'
import { watchFetch } from './watch-fetch.ts'

/** A server, requests to it, and the Bough that it serves. */
export interface Served extends Ground, Fetching {
  readonly server: TestServer
}

export interface ServedOptions extends GroundOptions {
  /** Milliseconds that running turns have when it stops. */
  readonly grace?: number
}

/** Every answer is checked against the server's own description. */
export async function openServed({ grace = 0, ...options }: ServedOptions = {}): Promise<Served> {
  const started = Promise.withResolvers<TestServer>()
  const ground = await opener(async (home, bough) => {
    const server = await serveForTest(home, { bough, grace })
    onTestFinished(() => expect(server.faults).toEqual([]))
    await watchFetch(server)
    started.resolve(server)
    return server.bough
  })(options)
  const server = await started.promise
  return { ...ground, ...fetching(server), server }
}
