import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { openStore, storeFile } from '../open.ts'
import { describeStore } from '../store.contract.ts'
import { migrations } from './migrations.ts'

const temporary = () => mkdtemp(join(tmpdir(), 'store-'))

describeStore('SQLite', async () => {
  const directory = await temporary()
  return {
    open: (clock) => openStore(directory, clock),
    remove: () => rm(directory, { recursive: true }),
  }
})

it('a database file of a newer bough is refused and left as it is', async () => {
  const directory = await temporary()
  const db = new DatabaseSync(storeFile(directory))
  db.exec(`PRAGMA user_version = ${migrations.length + 1}`)
  db.close()
  await expect(openStore(directory, Date.now)).rejects.toMatchObject({ code: 'store_newer' })
})

it('a file that is no database is refused with what to do about it', async () => {
  const directory = await temporary()
  await writeFile(storeFile(directory), 'this is not a database, it is a letter to a friend. '.repeat(100))
  await expect(openStore(directory, Date.now)).rejects.toMatchObject({
    code: 'store_damaged',
    message: expect.stringContaining('Move it away'),
  })
})

it('the database is in WAL mode, so that readers never wait for a writer', async () => {
  const directory = await temporary()
  const store = await openStore(directory, Date.now)
  await store.close()
  const db = new DatabaseSync(storeFile(directory))
  expect({ ...db.prepare('PRAGMA journal_mode').get() }).toEqual({ journal_mode: 'wal' })
  db.close()
})
