import { expect } from 'vitest'
import type { MessageID, SessionID } from '../../tree/ids.ts'
import { readPage, readPositions } from '../line.ts'
import type { StoreTest } from './store-test.ts'

export function lineContract(it: StoreTest): void {
  it('reads a page of a line through nested forks, from the head or before a message', async ({
    store,
    ids,
    newSession,
    root,
    say,
    texts,
  }) => {
    const a = await root()
    const [, a2] = await say(a, 'a1', 'a2', 'a3')
    const b = ids.session()
    const fork = (id: SessionID, parentID: SessionID, forkPoint: MessageID | null) =>
      store.transaction((tx) => tx.sessions.insert(newSession({ id, parentID, forkPoint, kind: 'branch' })))
    await fork(b, a, a2?.id ?? null)
    const [b1] = await say(b, 'b1', 'b2')
    const c = ids.session()
    await fork(c, b, b1?.id ?? null)
    await say(c, 'c1')
    expect(await texts(c)).toEqual(['a1', 'a2', 'b1', 'c1'])
    expect((await readPage(store, c, { limit: 2 })).map((m) => m.text)).toEqual(['b1', 'c1'])
    const before = b1 ? { before: b1.id, limit: 1 } : {}
    expect((await readPage(store, c, before)).map((m) => m.text)).toEqual(['a2'])
    expect(await store.sessions.line(c)).toMatchObject([
      { sessionID: a, last: 2 },
      { sessionID: b, last: 1 },
      { sessionID: c, last: 1 },
    ])
  })

  it('reads a long line in pieces and lets the event loop go on between them', async ({
    store,
    root,
    say,
  }) => {
    const id = await root()
    await say(id, ...Array.from({ length: 3000 }, (_, i) => String(i)))
    let loops = 0
    const count = setInterval(() => loops++, 0)
    let read = 0
    for await (const message of readPositions(store, await store.sessions.line(id))) {
      expect(message.text).toBe(String(read++))
    }
    clearInterval(count)
    expect(read).toBe(3000)
    expect(loops).toBeGreaterThan(0)
  })
}
