import { DatabaseSync } from 'node:sqlite'

/** Whether some process holds the write lock of a store for longer than a moment. */
export function isLocked(file: string): boolean {
  const db = new DatabaseSync(file, { timeout: 200 })
  try {
    db.exec('BEGIN IMMEDIATE')
    db.exec('ROLLBACK')
    return false
  } catch (error) {
    if (error instanceof Error && error.message.includes('locked')) return true
    throw error
  } finally {
    db.close()
  }
}
