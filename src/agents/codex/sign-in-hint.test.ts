import { expect, test } from 'vitest'
import type { AgentEvent } from '../driver.ts'
import { withSignInHint } from './sign-in-hint.ts'

test('who does not seem to be signed in is told how, before the turn goes on as it does', async () => {
  let isClosed = false
  const connection = withSignInHint({
    async *send(prompt): AsyncGenerator<AgentEvent> {
      yield { type: 'text', text: `You said: ${prompt}` }
    },
    async close() {
      isClosed = true
    },
  })
  expect(await Array.fromAsync(connection.send('soup', new AbortController().signal))).toEqual([
    { type: 'notice', text: expect.stringContaining('codex login') },
    { type: 'text', text: 'You said: soup' },
  ])
  await connection.close()
  expect(isClosed).toBe(true)
})
