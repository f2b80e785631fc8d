import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { thisProcess } from '../process-identity.ts'
import { openStore } from '../store/open.ts'
import type { Store, Transaction } from '../store/store.ts'
import { createIds, type SessionID } from '../tree/ids.ts'
import { Snapshots } from '../turns/snapshots.ts'
import { collectGarbage } from './collect-garbage.ts'
import { removeHidden } from './fill-session.ts'

const ids = createIds(Date.now, (length) => crypto.getRandomValues(new Uint8Array(length)))

it('cleaning up closes no turn that somebody has begun since it looked', async () => {
  const { store, dataDirectory } = await newStore()
  const sessions = [await newSession(store), await newSession(store)] as const
  for (const id of sessions) await store.transaction((tx) => beginTurn(tx, id))
  const [, second] = sessions
  // While the turn of the first is being closed, another process takes the second and goes on there.
  const takeSecond = once(() => {
    void store.transaction(async (tx) => {
      const left = await tx.turns.running(second)
      if (left) await tx.turns.end(left.id, { outcome: 'interrupted', reason: null }, 2)
      await tx.owners.take({ sessionID: second, process: thisProcess(), leaseUntil: 3, fromEpoch: null })
      await beginTurn(tx, second)
    })
  })
  const clock = () => {
    takeSecond()
    return Date.now()
  }
  const snapshots = new Snapshots({ store, ids, clock, dataDirectory })
  await collectGarbage({ store, ids, snapshots, clock, dataDirectory, process: thisProcess() })
  expect(await store.turns.running(sessions[0])).toBe(null)
  expect(await store.turns.running(second)).not.toBe(null)
})

it('what was imported to its end is not removed as something that was left', async () => {
  const { store } = await newStore()
  const id = await newSession(store)
  await removeHidden(store, id)
  expect(await store.sessions.get(id)).not.toBe(null)
  await store.transaction((tx) => tx.sessions.bury(id))
  await removeHidden(store, id)
  expect(await store.sessions.get(id)).toBe(null)
})

async function newStore(): Promise<{ readonly store: Store; readonly dataDirectory: string }> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'garbage-'))
  const store = await openStore(dataDirectory, Date.now)
  onTestFinished(() => store.close())
  return { store, dataDirectory }
}

async function newSession(store: Store): Promise<SessionID> {
  const id = ids.session()
  await store.transaction((tx) =>
    tx.sessions.insert({
      id,
      parentID: null,
      forkPoint: null,
      title: 'x',
      titled: true,
      agent: 'offline',
      model: null,
      directory: '/',
      kind: 'root',
      labels: [],
      created: 1,
    }),
  )
  return id
}

const beginTurn = (tx: Transaction, sessionID: SessionID): Promise<void> =>
  tx.turns.insert({ id: ids.turn(), sessionID, promptID: ids.message(), started: 1 })

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}
