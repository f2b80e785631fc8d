import { expect, test } from 'vitest'
import { Backoff } from './backoff.ts'

test('each wait is longer than the one before it, up to two seconds, and after a success short again', async () => {
  const waits: number[] = []
  const backoff = new Backoff(
    new AbortController().signal,
    async (milliseconds) => void waits.push(milliseconds),
  )
  for (let i = 0; i < 8; i++) await backoff.wait()
  backoff.reset()
  await backoff.wait()
  expect(waits).toEqual([50, 100, 200, 400, 800, 1600, 2000, 2000, 50])
})

test('whoever waits is told at once that nobody needs it any more', async () => {
  const over = new AbortController()
  const backoff = new Backoff(over.signal)
  const waiting = backoff.wait()
  over.abort(new Error('closed'))
  await expect(waiting).rejects.toThrow('closed')
  await expect(backoff.wait()).rejects.toThrow('closed')
})
