import { test } from 'vitest'
import { createIds, type SessionID } from '../../tree/ids.ts'
import type { NewMessage } from '../../tree/message.ts'
import type { NewSession } from '../../tree/session.ts'
import { readPage } from '../line.ts'
import type { Store } from '../store.ts'

/** Where a store under test lives: opened twice it is the same data, as for two processes. */
export interface Place {
  open(clock: () => number): Promise<Store>
  remove(): Promise<void>
}

export type StoreTest = ReturnType<typeof storeTest>

/** A `test` that gives each test a store of its own, and short ways to fill and to read it. */
export const storeTest = (makePlace: () => Promise<Place>) =>
  test
    .extend('clock', () => ({ now: 1_700_000_000_000 }))
    .extend('ids', ({ clock }) =>
      createIds(
        () => clock.now++,
        (length) => crypto.getRandomValues(new Uint8Array(length)),
      ),
    )
    .extend('another', async ({ clock }, { onCleanup }) => {
      const place = await makePlace()
      const open: Store[] = []
      onCleanup(async () => {
        for (const each of open) await each.close()
        await place.remove()
      })
      return async () => {
        const opened = await place.open(() => clock.now)
        open.push(opened)
        return opened
      }
    })
    .extend('store', ({ another }) => another())
    .extend(
      'newSession',
      ({ clock, ids }) =>
        (more: Partial<NewSession> = {}): NewSession => ({
          id: ids.session(),
          parentID: null,
          forkPoint: null,
          title: 'Root',
          titled: false,
          agent: 'offline',
          model: null,
          directory: '/project',
          kind: 'root',
          labels: [],
          created: clock.now,
          ...more,
        }),
    )
    .extend('root', ({ store, newSession }) => async (title = 'Root'): Promise<SessionID> => {
      const session = newSession({ title })
      await store.transaction(async (tx) => {
        await tx.sessions.insert(session)
        tx.record({ kind: 'session.created', sessionID: session.id })
      })
      return session.id
    })
    .extend(
      'said',
      ({ clock, ids }) =>
        (text: string, more: Partial<NewMessage> = {}): NewMessage => ({
          id: ids.message(),
          role: 'user',
          parts: [{ type: 'text', text }],
          status: 'complete',
          created: clock.now,
          ...more,
        }),
    )
    .extend(
      'say',
      ({ store, said }) =>
        (sessionID: SessionID, ...texts: string[]) =>
          store.transaction((tx) =>
            tx.messages.append(
              sessionID,
              texts.map((text) => said(text)),
            ),
          ),
    )
    .extend(
      'texts',
      ({ store }) =>
        async (sessionID: SessionID) =>
          (await readPage(store, sessionID, {})).map((message) => message.text),
    )
