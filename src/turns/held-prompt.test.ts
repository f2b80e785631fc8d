import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ScriptedAgent, says } from '../../test/support/scripted-agent.ts'
import { Agents } from '../agents/agents.ts'
import { openStore } from '../store/open.ts'
import { isHeldBy } from './held-prompt.ts'

it('does not wait for ever for an agent that does not tell what it has', async () => {
  const { driver } = new ScriptedAgent('silent', () => says('never'))
  const read = Promise.withResolvers<void>()
  const silent = {
    ...driver,
    native: driver.native && {
      ...driver.native,
      read: () => {
        read.resolve()
        return new Promise<never>(() => {})
      },
    },
  }
  const store = await openStore(await mkdtemp(join(tmpdir(), 'held-')), () => 0)
  onTestFinished(() => store.close())
  const sessionID = 'ses_1'
  const [prompt] = await store.transaction(async (tx) => {
    await tx.sessions.insert({
      id: sessionID,
      parentID: null,
      forkPoint: null,
      title: '',
      titled: true,
      agent: driver.name,
      model: null,
      directory: '/',
      kind: 'root',
      labels: [],
      created: 0,
    })
    await tx.sessions.bindNative(sessionID, 'silent-0')
    const parts = [{ type: 'text' as const, text: 'Are you there?' }]
    return tx.messages.append(sessionID, [
      { id: 'msg_1', role: 'user', parts, status: 'complete', created: 0 },
    ])
  })
  if (!prompt) throw new Error('the prompt was not stored')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const isHeld = isHeldBy({ store, agents: new Agents([silent]) }, sessionID, prompt)
  await read.promise
  vi.advanceTimersByTime(5_000)
  expect(await isHeld).toBe(false)
})
