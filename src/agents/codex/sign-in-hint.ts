import type { Connection } from '../driver.ts'

/**
 * A connection of somebody who does not seem to be signed in: Codex itself only tries again and again. It may know another way in,
 * so the turn goes on all the same.
 */
export const withSignInHint = (connection: Connection): Connection => ({
  async *send(prompt, signal) {
    yield { type: 'notice', text: 'Codex does not seem to be signed in. If no answer comes: codex login' }
    yield* connection.send(prompt, signal)
  },
  close: () => connection.close(),
})
