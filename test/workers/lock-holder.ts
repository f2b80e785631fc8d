// A process that takes the write lock of a store, says so, and keeps it until it is told to let go.
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { findHome } from '../../src/home.ts'
import { storeFile } from '../../src/store/open.ts'

const db = new DatabaseSync(storeFile(findHome(process.env).data), { timeout: 10_000 })
db.exec('BEGIN IMMEDIATE')
process.stdout.write(`${JSON.stringify({ kind: 'held' })}\n`)
await once(process.stdin, 'data')
db.exec('COMMIT')
db.close()
process.stdin.destroy()
