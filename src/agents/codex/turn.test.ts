import { expect, onTestFinished, test, vi } from 'vitest'
import { AppServer } from './app-server.ts'
import { Transcript } from './transcript.ts'
import { Turn } from './turn.ts'
import { UsageMeter } from './usage-meter.ts'

test('a turn that is over waits for nothing more, whatever Codex still tells of it', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  // It is never let through, and so does nothing.
  const server = AppServer.start('true', process.env)
  onTestFinished(() => server.end())
  const turn = new Turn({
    server,
    threadID: 'thread',
    params: {},
    transcript: new Transcript(() => null),
    meter: new UsageMeter(true),
    signal: new AbortController().signal,
    patience: 60_000,
  })
  expect(vi.getTimerCount()).toBe(1)
  const about = { threadId: 'thread', turn: { id: 'turn', status: 'completed' } }
  turn.told({ method: 'turn/started', params: about })
  turn.told({ method: 'turn/completed', params: about })
  turn.told({ method: 'thread/closed', params: { threadId: 'thread' } })
  expect(vi.getTimerCount()).toBe(0)
})
