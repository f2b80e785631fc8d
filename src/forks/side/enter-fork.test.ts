import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Agents } from '../../agents/agents.ts'
import { createOfflineDriver } from '../../agents/offline/offline.ts'
import { thisProcess } from '../../process-identity.ts'
import type { Store } from '../../store/store.ts'
import { createIds } from '../../tree/ids.ts'
import type { Turn } from '../../tree/turn.ts'
import { TrustRecords } from '../../trust-records.ts'
import { SetUpTrust } from '../../turns/set-up-trust.ts'
import { Snapshots } from '../../turns/snapshots.ts'
import { enterFork } from './enter-fork.ts'
import { Ground } from './testing/ground.ts'

const partsWith = (store: Store, dataDirectory: string) => {
  const ids = createIds(Date.now, (length) => crypto.getRandomValues(new Uint8Array(length)))
  const [clock, process] = [Date.now, thisProcess()]
  const snapshots = new Snapshots({ store, ids, clock, dataDirectory })
  const rest = { setUp: null, preferred: 'auto', backgroundFiles: 'same', idleTimeout: 10 } as const
  const agents = new Agents([createOfflineDriver()])
  const openSetUpTrust = async () =>
    new SetUpTrust(null, new TrustRecords(join(dataDirectory, 'trust')), clock)
  return { store, ids, clock, agents, process, snapshots, dataDirectory, openSetUpTrust, ...rest }
}

it('a background fork is not refused when a turn of main begins in the very moment in which none was seen', async () => {
  const ground = await Ground.open()
  await ground.say('the first')
  const main = await ground.main()
  const last = (await ground.messages(main)).at(-1)
  const store = await ground.store()
  let turn: Turn | null = null
  const running: Store['turns']['running'] = async (id) => {
    const found = await store.turns.running(id)
    turn ??= await ground.bough.send(main, 'sleep 60')
    return found
  }
  const inBetween: Store = Object.assign(Object.create(store), {
    turns: { ...store.turns, running },
    transaction: store.transaction.bind(store),
  })
  const options = { kind: 'background', origin: 'person', from: main, prompt: 'look' } as const
  const fork = await enterFork(partsWith(inBetween, ground.home.data), ground.channelID, options)
  expect(turn).not.toBeNull()
  expect((await ground.bough.session(fork.sessionID)).forkPoint).toBe(last?.id)
})

it('no fork opens in a channel whose main is deleted in the very moment', async () => {
  const ground = await Ground.open()
  const run = await ground.run('look')
  const store = await ground.store()
  let isDeleted = false
  const transaction: Store['transaction'] = async (...work) => {
    if (!isDeleted) await ground.bough.remove(await ground.main())
    isDeleted = true
    return store.transaction(...work)
  }
  const parts = partsWith(Object.assign(Object.create(store), { transaction }), ground.home.data)
  const options = { kind: 'interactive', origin: 'reply', from: run.sessionID } as const
  await expect(enterFork(parts, ground.channelID, options)).rejects.toMatchObject({ code: 'not_found' })
  expect(await store.sideForks.open()).toEqual([])
  expect(await ground.bough.children(run.sessionID)).toEqual([])
})
