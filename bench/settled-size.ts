import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** The size of a database once nothing is left in its log. */
export function settledSize(file: string): number {
  const db = new DatabaseSync(file, { timeout: 5_000 })
  const left = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy
  db.close()
  if (left !== 0) throw new Error(`The log of ${file} could not be written back.`)
  return statSync(file).size
}
