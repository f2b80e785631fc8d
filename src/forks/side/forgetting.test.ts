import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { thisProcess } from '../../process-identity.ts'
import { openStore } from '../../store/open.ts'
import { forgetting } from './forgetting.ts'

it('forgets processes that are gone, and those of before a restart, but not those that live', async () => {
  const store = await openStore(await mkdtemp(join(tmpdir(), 'forgetting-')), Date.now)
  onTestFinished(() => store.close())
  const alive = thisProcess()
  const gone = { ...alive, started: 'long ago' }
  const beforeRestart = { ...alive, machine: 'the boot before this' }
  await store.transaction(async (tx) => {
    for (const process of [alive, gone, beforeRestart]) await tx.processes.beatOnce(process)
  })
  await forgetting({ store, clock: Date.now })()
  expect(await store.processes.all()).toEqual([alive])
})
