import { expect } from 'vitest'
import { type ForkSeed, newSeed } from '../../tree/fork-seed.ts'
import { noUsage } from '../../tree/usage.ts'
import type { StoreTest } from './store-test.ts'

export function nativeContract(it: StoreTest): void {
  it('knows which session goes on in a native session: the last that was bound to it', async ({
    store,
    root,
  }) => {
    const [a, b] = [await root(), await root()]
    const boundTo = () => store.sessions.boundTo('offline', 'n1')
    expect(await boundTo()).toBeNull()
    await store.transaction((tx) => tx.sessions.bindNative(a, 'n1'))
    expect(await boundTo()).toBe(a)
    await store.transaction((tx) => tx.sessions.bindNative(b, 'n1'))
    expect(await boundTo()).toBe(b)
    expect(await store.sessions.boundTo('claude', 'n1')).toBeNull()
    await store.transaction((tx) => tx.sessions.bury(b))
    expect(await boundTo()).toBe(a)
    await store.transaction((tx) => tx.sessions.bindNative(a, null))
    expect(await boundTo()).toBeNull()
  })

  it('notes what a native session was like', async ({ store, root }) => {
    const id = await root()
    expect(await store.sessions.nativeVersion(id)).toBeNull()
    await store.transaction((tx) => tx.sessions.noteNative(id, 'v1'))
    expect(await store.sessions.nativeVersion(id)).toBe('v1')
  })

  it('lists which messages stand for which entries', async ({ store, ids, root }) => {
    const sessionID = await root()
    const message = (nativeID: string | null) => ({
      id: ids.message(),
      role: 'user' as const,
      parts: [],
      status: 'complete' as const,
      created: 0,
      nativeID,
    })
    await store.transaction((tx) =>
      tx.messages.append(sessionID, [message('e1'), message(null), message('e3'), message('e4')]),
    )
    expect(await store.messages.entries({ sessionID, from: 1, to: 3 })).toEqual([
      { seq: 1, nativeID: 'e1' },
      { seq: 3, nativeID: 'e3' },
    ])
  })

  it('keeps how a session was seeded; it is seeding until that is over', async ({ store, ids, root }) => {
    const sessionID = await root()
    const stateOf = async () => (await store.sessions.get(sessionID))?.state
    expect([await store.forkSeeds.of(sessionID), await stateOf()]).toEqual([null, 'idle'])
    const from = { sessionID, agent: 'codex', parentID: null, parentWorkspaceID: null, why: 'so', created: 1 }
    const seed: ForkSeed = newSeed({ id: ids.seed(), ...from })
    await store.transaction((tx) => tx.forkSeeds.insert(seed))
    expect([await store.forkSeeds.of(sessionID), await stateOf()]).toEqual([seed, 'seeding'])
    expect((await store.sessions.get(sessionID))?.forkSeedID).toBe(seed.id)
    const built = { sha256: 'abc', tokens: 12, window: 100, leftOut: 'much' }
    await store.transaction((tx) => tx.forkSeeds.begin(seed.id, built))
    expect(await stateOf()).toBe('seeding')
    const usage = { ...noUsage, inputTokens: 3 }
    await store.transaction((tx) => tx.forkSeeds.end(seed.id, 'sent', { hidden: true, usage }))
    const sent = { ...seed, ...built, state: 'sent', hidden: true, usage }
    expect([await store.forkSeeds.of(sessionID), await stateOf()]).toEqual([sent, 'idle'])
    const again = ids.seed()
    await store.transaction((tx) => tx.forkSeeds.insert({ ...seed, id: again, why: 'again' }))
    expect((await store.forkSeeds.of(sessionID))?.why).toBe('again')
    await store.transaction(async (tx) => {
      await tx.forkSeeds.begin(again, { ...built, leftOut: null })
      await tx.forkSeeds.giveUp(sessionID)
    })
    expect(await store.forkSeeds.of(sessionID)).toMatchObject({
      state: 'failed',
      why: 'again',
      leftOut: null,
    })
    expect(await stateOf()).toBe('idle')
    await store.transaction((tx) => tx.forkSeeds.removeOf(sessionID))
    expect(await store.forkSeeds.of(sessionID)).toBeNull()
  })
}
