import { describe } from 'vitest'
import { comebackContract } from './contract/comeback.ts'
import { eventsContract } from './contract/events.ts'
import { filesContract } from './contract/files.ts'
import { lineContract } from './contract/line.ts'
import { messagesContract } from './contract/messages.ts'
import { nativeContract } from './contract/native.ts'
import { sessionsContract } from './contract/sessions.ts'
import { type Place, storeTest } from './contract/store-test.ts'
import { transactionsContract } from './contract/transactions.ts'
import { turnsContract } from './contract/turns.ts'

/** What every implementation of the store must hold. */
export function describeStore(engine: string, makePlace: () => Promise<Place>): void {
  const it = storeTest(makePlace)
  describe(`the store on ${engine}`, () => {
    transactionsContract(it)
    messagesContract(it)
    lineContract(it)
    sessionsContract(it)
    turnsContract(it)
    filesContract(it)
    nativeContract(it)
    comebackContract(it)
    eventsContract(it)
  })
}
