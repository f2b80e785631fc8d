import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { openStore, storeFile } from '../store/open.ts'
import { createIds } from '../tree/ids.ts'
import { removeSession } from './remove-session.ts'

const outlivesItsSession = {
  events: 'who follows them has to learn that it was deleted',
  inquiries: 'who clicks its button is told that it is gone',
  links: 'who replies to what it sent is told that it is gone',
  outbox: 'what it sent is shown in the chat, or will be',
  schedule_runs: 'it says what became of a due time',
  updates: 'what it reported is for main',
}

const outlivesItsChannel = {
  forks: 'each goes with its own session',
  inbox: 'whoever waits for an item reads there how it ended; it is forgotten by its age',
  schedules: 'cancelled: whoever names one is told so',
}

it('a session that is deleted leaves nothing, but for what others still need', async () => {
  const { store, newSession, fill, left } = await newStore()
  const session = newSession()
  await store.transaction((tx) => tx.sessions.insert(session))
  fill('session_id', session.id)
  expect(left('session_id', session.id)).toContain('turns')
  await removeSession(store, session.id, 1)
  expect(left('session_id', session.id)).toEqual(Object.keys(outlivesItsSession))
  expect(await store.sessions.get(session.id)).toBeNull()
})

it('a channel whose main is deleted leaves nothing, but for what others still need', async () => {
  const { store, ids, newSession, fill, left } = await newStore()
  const [session, id] = [newSession(), ids.channel()]
  await store.transaction(async (tx) => {
    await tx.sessions.insert(session)
    await tx.channels.insert({ id, frontEnd: 'test', key: 'chat', mainID: session.id, created: 1 })
  })
  fill('channel_id', id)
  expect(left('channel_id', id)).toContain('updates')
  await removeSession(store, session.id, 1)
  expect(left('channel_id', id)).toEqual(Object.keys(outlivesItsChannel))
  expect(await store.channels.get(id)).toBeNull()
})

type Owned = 'session_id' | 'channel_id'

/** A store whose tables are found in its schema: a new one is looked at without being named here. */
async function newStore() {
  const directory = await mkdtemp(join(tmpdir(), 'remove-'))
  const store = await openStore(directory, () => 1)
  const db = new DatabaseSync(storeFile(directory))
  onTestFinished(async () => {
    db.close()
    await store.close()
  })
  const ids = createIds(
    () => 1,
    (length) => crypto.getRandomValues(new Uint8Array(length)),
  )
  const newSession = () => ({
    ...{ id: ids.session(), parentID: null, forkPoint: null, title: 'Main', titled: false, agent: 'offline' },
    ...{ model: null, directory: '/project', kind: 'root' as const, labels: [], created: 1 },
  })
  const tablesWith = (owned: Owned): readonly string[] =>
    db
      .prepare(
        `SELECT t.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
          WHERE t.type = 'table' AND c.name = :owned ORDER BY t.name`,
      )
      .all({ owned })
      .map(({ name }) => String(name))
  /** Puts a row of its own into each of them. */
  const fill = (owned: Owned, id: string): void => {
    for (const table of tablesWith(owned)) {
      const columns = db
        .prepare(
          `SELECT name, type FROM pragma_table_info(:table) WHERE "notnull" = 1 OR pk > 0 OR name = :owned`,
        )
        .all({ table, owned })
      const values = columns.map(({ name, type }) => (name === owned ? id : type === 'TEXT' ? 'x' : 1))
      const names = columns.map(({ name }) => name).join(', ')
      db.prepare(`INSERT INTO ${table} (${names}) VALUES (${values.map(() => '?').join(', ')})`).run(
        ...values,
      )
    }
  }
  /** Those that have a row of its own. */
  const left = (owned: Owned, id: string): readonly string[] =>
    tablesWith(owned).filter((table) => db.prepare(`SELECT 1 FROM ${table} WHERE ${owned} = ?`).get(id))
  return { store, ids, newSession, fill, left }
}
