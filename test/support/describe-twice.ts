import { expect, onTestFinished } from 'vitest'
import { openForTest } from './bough.ts'
import { describeBough, type Subject } from './describe-bough.ts'
import { connectForTest, serveForTest } from './server.ts'
import { watchFetch } from './watch-fetch.ts'

/** The interface twice: of the Bough that a process opens itself, and of the client of one that is served. */
export function describeTwice(...subjects: readonly Subject[]): void {
  describeBough('embedded', openForTest, subjects)
  describeBough(
    'over HTTP',
    async (home, options) => {
      const server = await serveForTest(home, { bough: options })
      onTestFinished(() => expect(server.faults).toEqual([]))
      await watchFetch(server)
      return connectForTest(server)
    },
    subjects,
  )
}
