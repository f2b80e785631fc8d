import { expect } from 'vitest'
import type { StoreTest } from './store-test.ts'

export function transactionsContract(it: StoreTest): void {
  it('does all of a transaction or nothing, events included', async ({ store, root, said, say, texts }) => {
    const id = await root()
    const before = (await store.events.bounds()).last
    const failing = store.transaction(async (tx) => {
      await tx.messages.append(id, [said('lost')])
      tx.record({ kind: 'session.updated', sessionID: id })
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await texts(id)).toEqual([])
    expect((await store.events.bounds()).last).toBe(before)
    await say(id, 'works again')
    expect(await texts(id)).toEqual(['works again'])
  })

  it('shows nobody a transaction that is not finished', async ({ store, another, root, said }) => {
    const id = await root()
    const other = await another()
    await store.transaction(async (tx) => {
      await tx.messages.append(id, [said('soon')])
      expect((await store.sessions.get(id))?.messages).toBe(0)
      expect((await other.sessions.get(id))?.messages).toBe(0)
      expect((await tx.sessions.get(id))?.messages).toBe(1)
    })
    expect((await other.sessions.get(id))?.messages).toBe(1)
  })

  it('runs transactions of one and of two processes one after the other', async ({
    store,
    another,
    root,
    said,
    texts,
  }) => {
    const id = await root()
    const other = await another()
    const work = Array.from({ length: 40 }, (_, i) =>
      (i % 2 ? store : other).transaction(async (tx) => {
        const before = (await tx.sessions.get(id))?.messages ?? 0
        await tx.messages.append(id, [said(String(before))])
      }),
    )
    await Promise.all(work)
    expect(await texts(id)).toEqual(Array.from({ length: 40 }, (_, i) => String(i)))
  })
}
