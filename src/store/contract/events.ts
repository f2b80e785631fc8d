import { expect } from 'vitest'
import type { TreeEvent } from '../../tree/event.ts'
import type { StoreTest } from './store-test.ts'

export function eventsContract(it: StoreTest): void {
  it('numbers events in commit order, and a follower gets each once, from any number on', async ({
    another,
    root,
  }) => {
    const other = await another()
    const stop = new AbortController()
    const seen: TreeEvent[] = []
    const following = (async () => {
      for await (const event of other.follow({ after: 0, signal: stop.signal })) {
        if (event.kind !== 'reset') seen.push(event)
        if (seen.length === 30) stop.abort()
      }
    })()
    const made = await Promise.all(Array.from({ length: 30 }, () => root()))
    await following
    expect(seen.map((event) => event.seq)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1))
    expect(new Set(seen.map((event) => event.sessionID))).toEqual(new Set(made))
  })

  it('tells a follower that comes too late, or from another store, to load afresh', async ({
    store,
    clock,
    root,
  }) => {
    const first = await root()
    clock.now += 8 * 24 * 60 * 60 * 1000
    await store.transaction(async (tx) => {
      for (let i = 0; i < 1000; i++) tx.record({ kind: 'session.updated', sessionID: first })
    })
    for (const after of [0, 99_999]) {
      const stop = new AbortController()
      for await (const event of store.follow({ after, signal: stop.signal })) {
        expect(event).toEqual({ kind: 'reset', seq: 1001 })
        stop.abort()
      }
    }
  })
}
