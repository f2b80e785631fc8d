import { expect, it, onTestFinished } from 'vitest'
import { newHome, openForTest, turn } from '../../test/support/bough.ts'
import { until } from '../../test/support/until.ts'
import type { Driver } from '../agents/driver.ts'
import { untilAborted } from '../agents/offline/interruptible.ts'
import type { BoughOptions } from '../open-bough.ts'
import { openStore } from '../store/open.ts'

const lease = 400

it('a session is held on to while the agent of another takes its time to end', async () => {
  const { home, waiting, running, isEnding, mayEnd } = await newTwo({ lease, idleAfter: 1 })
  const store = await openStore(home.data, Date.now)
  onTestFinished(() => store.close())
  await isEnding
  const since = Date.now()
  const isRenewed = async () => ((await store.owners.get(waiting))?.leaseUntil ?? 0) > since + 2 * lease
  await until('its lease to be moved on', isRenewed, 4_000).finally(mayEnd)
  expect((await running.ended).outcome).toBe('finished')
})

it('a turn is stopped for another process while the agent of another session takes its time to end', async () => {
  const { home, slow, ending, waiting, running, isEnding, mayEnd } = await newTwo({})
  const other = await openForTest(home, { drivers: [slow] })
  const wanted = other.send(ending, 'go')
  await isEnding
  const stopped = other.abort(waiting)
  await until('the turn to be stopped', () => Promise.race([stopped, null]), 4_000).finally(mayEnd)
  expect((await running.ended).outcome).toBe('interrupted')
  await (await wanted).ended
})

/** Two sessions: one whose turn is over, and one whose turn waits. Agents end when the test says so. */
async function newTwo(options: BoughOptions) {
  const isEnding = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const slow: Driver = {
    name: 'slow',
    capabilities: { history: 'line' },
    settings: [],
    shipped: async () => [],
    native: null,
    contextWindow: async () => null,
    close: async () => {},
    check: async () => ({ installed: true, ready: true, detail: 'ends when the test says' }),
    open: async () => ({
      async *send(prompt, signal) {
        if (prompt === 'wait') await untilAborted(end.promise, signal)
        yield { type: 'turn-finished', reason: signal.aborted ? 'interrupted' : 'done' }
      },
      async close() {
        isEnding.resolve()
        await end.promise
      },
    }),
  }
  const home = await newHome()
  const bough = await openForTest(home, { ...options, drivers: [slow] })
  const create = () => bough.create({ agent: 'slow', directory: home.project })
  const [{ id: ending }, { id: waiting }] = [await create(), await create()]
  await turn(bough, ending, 'go')
  const running = await bough.send(waiting, 'wait')
  return { home, slow, ending, waiting, running, isEnding: isEnding.promise, mayEnd: () => end.resolve() }
}
