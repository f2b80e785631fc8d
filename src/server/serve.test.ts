import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { newHome, openForTest } from '../../test/support/bough.ts'
import { serve } from './serve.ts'

it('a server that cannot say where it is does not start, and keeps no time', async () => {
  const home = await newHome()
  const bough = await openForTest(home)
  mkdirSync(join(home.data, 'server.json'))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const serving = serve(bough, {
    ...{ home, host: '127.0.0.1', port: 0, token: { value: 'a'.repeat(40), file: null }, isPublic: false },
    ...{ names: [], workspaces: [], turns: 1, grace: 0, version: '0.0.0', onFault: () => {} },
  })
  await expect(serving).rejects.toMatchObject({ syscall: 'rename' })
  expect(vi.getTimerCount()).toBe(0)
})
