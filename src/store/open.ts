import { join } from 'node:path'
import type { Clock } from '../tree/ids.ts'
import { SqliteEngine } from './sqlite/engine.ts'
import { Store } from './store.ts'

export const storeFile = (dataDirectory: string): string => join(dataDirectory, 'bough.db')

/** Throws where the store is damaged. Opening it before gives it the newest tables. */
export async function checkStore(dataDirectory: string): Promise<void> {
  const { checkDatabase } = await import('./sqlite/check.ts')
  await checkDatabase(storeFile(dataDirectory))
}

/** The store in a data directory, made when it is not there yet. */
export async function openStore(dataDirectory: string, clock: Clock): Promise<Store> {
  return new Store(await SqliteEngine.open(storeFile(dataDirectory)), clock)
}
