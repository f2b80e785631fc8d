import { expect } from 'vitest'
import type { Store } from '../store.ts'
import type { StoreTest } from './store-test.ts'

export function sessionsContract(it: StoreTest): void {
  it('lists sessions newest first, in pages, by directory, agent, parent, label and words', async ({
    store,
    clock,
    root,
  }) => {
    const [a, b, c] = [await root('Apple pie'), await root('100% rye_bread'), await root('Soup')]
    await store.transaction((tx) => tx.sessions.change(a, { labels: ['demo', 'a"b'] }, clock.now))
    const listed = async (query: Parameters<Store['sessions']['list']>[0]) =>
      (await store.sessions.list(query)).map((session) => session.id)
    expect(await listed({})).toEqual([c, b, a])
    expect(await listed({ limit: 2 })).toEqual([c, b])
    expect(await listed({ limit: 2, before: b })).toEqual([a])
    expect(await listed({ label: 'demo' })).toEqual([a])
    expect(await listed({ label: 'a"b' })).toEqual([a])
    expect(await listed({ q: 'PIE' })).toEqual([a])
    expect(await listed({ q: '%' })).toEqual([b])
    expect(await listed({ q: 'e_b' })).toEqual([b])
    expect(await listed({ directory: '/elsewhere' })).toEqual([])
    expect(await listed({ agent: 'offline', archived: false })).toEqual([c, b, a])
  })

  it('finds ids by either end and takes no part of one as a pattern', async ({ store, root }) => {
    const id = await root()
    await root()
    expect((await store.sessions.matching(id.slice(-6))).map((s) => s.id)).toEqual([id])
    expect((await store.sessions.matching(id.slice(4))).map((s) => s.id)).toEqual([id])
    expect(await store.sessions.matching('01zzzz')).toEqual([])
  })

  it('knows who works in a directory or below it, and not beside it', async ({ store, newSession }) => {
    const inside = ['/w', '/w/sub']
    for (const directory of [...inside, '/w2', '/']) {
      await store.transaction((tx) => tx.sessions.insert(newSession({ directory })))
    }
    expect((await store.sessions.workingIn('/w')).map(({ directory }) => directory)).toEqual(inside)
  })

  it('knows tombstones that nobody stands on, once nothing was done with them for a while', async ({
    store,
    newSession,
    say,
    root,
  }) => {
    const [alone, parent, stoodOn, living] = [await root(), await root(), await root(), await root()]
    const [message] = await say(stoodOn, 'Hello')
    await store.transaction(async (tx) => {
      await tx.sessions.insert(newSession({ parentID: parent }))
      await tx.sessions.insert(newSession({ parentID: living, forkPoint: message?.id ?? null }))
      for (const id of [alone, parent, stoodOn]) {
        await tx.sessions.bury(id)
        await tx.sessions.touch(id, 1000)
      }
    })
    expect(await store.sessions.unfinished(1000)).toEqual([])
    expect(await store.sessions.unfinished(1001)).toMatchObject([{ id: alone, deleted: true }])
    await store.transaction((tx) => tx.sessions.unbury(alone))
    expect(await store.sessions.unfinished(1001)).toEqual([])
    expect(await store.sessions.get(alone)).toMatchObject({ deleted: false })
  })
}
