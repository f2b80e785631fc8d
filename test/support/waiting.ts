import type { Store } from '../../src/store/store.ts'
import type { SessionID } from '../../src/tree/ids.ts'
import { until } from './until.ts'

/** Resolves when so many turns wait in line for a session. */
export const waiting = (store: Store, sessionID: SessionID, turns: number): Promise<boolean> =>
  until(
    `${turns} turns to wait in line`,
    async () => (await store.requests.of(sessionID)).filter(({ kind }) => kind === 'turn').length === turns,
  )
