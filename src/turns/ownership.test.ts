import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished, vi } from 'vitest'
import { newHome, openForTest, turn } from '../../test/support/bough.ts'
import { until } from '../../test/support/until.ts'
import { thisProcess } from '../process-identity.ts'
import { openStore } from '../store/open.ts'
import { createIds } from '../tree/ids.ts'
import { defaultLease, Ownership } from './ownership.ts'

async function newGround() {
  const home = await newHome()
  const bough = await openForTest(home)
  const { id } = await bough.create({ directory: home.project })
  const store = await openStore(home.data, Date.now)
  onTestFinished(() => store.close())
  const ids = createIds(Date.now, randomBytes)
  return { home, bough, id, store, ids }
}

it('a turn that ends before it is asked to stop leaves no request behind', async () => {
  const { bough, id, store, ids } = await newGround()
  await bough.send(id, 'sleep 600')
  const { running } = store.turns
  vi.spyOn(store.turns, 'running').mockImplementationOnce(async (sessionID) => {
    const found = await running(sessionID)
    await bough.abort(sessionID)
    return found
  })
  const process = thisProcess()
  const ownership = new Ownership({ store, ids, clock: Date.now, lease: defaultLease, process })
  expect(await ownership.askToAbort(id)).toBe(false)
  expect(await store.requests.of(id)).toEqual([])
})

it('a deletion that fails leaves the session to its owner, and to those who wait for it', async () => {
  const { home, bough, id, store, ids } = await newGround()
  const running = await bough.send(id, 'sleep 600')
  const waiting = (await openForTest(home)).send(id, 'hello')
  await until('its place in line', async () => (await store.requests.of(id)).length === 1)
  const process = thisProcess()
  const ownership = new Ownership({ store, ids, clock: Date.now, lease: defaultLease, process })
  const deleting = ownership.takeAway(id, () => Promise.reject(new Error('the disk is full')))
  await expect(deleting).rejects.toThrow('the disk is full')
  expect((await running.ended).outcome).toBe('interrupted')
  expect((await (await waiting).ended).outcome).toBe('finished')
  expect((await turn(bough, id, 'again')).at(-1)).toMatchObject({ role: 'assistant', status: 'complete' })
  expect(await store.requests.of(id)).toEqual([])
})

it('what a process wanted that was killed while it deleted a session is not heeded by the next turn', async () => {
  const { bough, id, store, ids } = await newGround()
  const killed = { ...thisProcess(), started: 'before' }
  await store.transaction((tx) =>
    tx.requests.insert({
      ...{ id: ids.request(), sessionID: id, kind: 'abort', turnID: null, process: killed },
      ...{ created: Date.now(), leaseUntil: Date.now() + defaultLease },
    }),
  )
  expect((await turn(bough, id, 'hello')).at(-1)).toMatchObject({ role: 'assistant', status: 'complete' })
  expect(await store.requests.of(id)).toEqual([])
})
