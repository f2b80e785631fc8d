import { expect } from 'vitest'
import { once } from '../../tree/permission.ts'
import type { StoreTest } from './store-test.ts'

export function turnsContract(it: StoreTest): void {
  it('gives a session to one owner, with an epoch that only rises', async ({ store, clock, root }) => {
    const sessionID = await root()
    const process = { pid: 1, started: 's', machine: 'm' }
    const claim = { sessionID, process, leaseUntil: clock.now, fromEpoch: null }
    const take = (fromEpoch: number | null) =>
      store.transaction((tx) => tx.owners.take({ ...claim, fromEpoch }))
    expect(await take(null)).toBe(1)
    expect(await take(null)).toBeNull()
    expect(await store.transaction((tx) => tx.owners.hold(sessionID, 1, clock.now + 5))).toBe(true)
    expect((await store.owners.get(sessionID))?.leaseUntil).toBe(clock.now + 5)
    expect(await take(7)).toBeNull()
    expect(await take(1)).toBe(2)
    expect(await store.transaction((tx) => tx.owners.hold(sessionID, 1, clock.now))).toBe(false)
    expect(await store.transaction((tx) => tx.owners.release(sessionID, 1))).toBe(false)
    expect(await store.transaction((tx) => tx.owners.release(sessionID, 2))).toBe(true)
    expect(await store.owners.get(sessionID)).toBeNull()
    expect(await take(null)).toBe(3)
  })

  it('lets one turn run in a session at a time', async ({ store, ids, clock, root }) => {
    const sessionID = await root()
    const begin = () =>
      store.transaction((tx) =>
        tx.turns.insert({ id: ids.turn(), sessionID, promptID: ids.message(), started: clock.now }),
      )
    await begin()
    expect((await store.sessions.get(sessionID))?.state).toBe('running')
    await expect(begin()).rejects.toThrow()
    const turn = await store.turns.running(sessionID)
    if (turn)
      await store.transaction((tx) => tx.turns.end(turn.id, { outcome: 'finished', reason: null }, clock.now))
    expect((await store.sessions.get(sessionID))?.state).toBe('idle')
    await begin()
  })

  it('counts the first answer to a permission and no other', async ({ store, ids, clock, root }) => {
    const sessionID = await root()
    const permission = {
      id: ids.permission(),
      sessionID,
      turnID: ids.turn(),
      tool: 'run',
      detail: 'ls',
      caution: 'leads to /etc',
      state: 'asked',
      scope: 'call',
      offers: [once, { scope: 'session', words: 'ls this session', rule: 'run(ls)' }],
      asked: clock.now,
    } as const
    await store.transaction((tx) => tx.permissions.insert(permission))
    expect(await store.permissions.asked()).toEqual([permission])
    const answer = (state: 'allowed' | 'denied') =>
      store.transaction((tx) => tx.permissions.answer(permission.id, state, 'session'))
    expect(await Promise.all([answer('denied'), answer('allowed')])).toEqual([true, false])
    expect(await store.permissions.asked()).toEqual([])
    expect(await store.permissions.grants(sessionID)).toEqual([])
    const granted = { ...permission, id: ids.permission(), state: 'allowed', scope: 'session' } as const
    await store.transaction((tx) => tx.permissions.insert(granted))
    expect(await store.permissions.grants(sessionID)).toEqual([granted])
  })
}
