import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { asideName, mayBeNeeded } from '../shadow/aside-name.ts'
import type { Shadow } from '../shadow/shadow.ts'

/**
 * Gives the work an empty directory in the shadow, never in the project: there, what a killed process leaves would be
 * taken for the person's. What killed processes have left here is cleared up.
 */
export async function withStaging<T>(shadow: Shadow, work: (directory: string) => Promise<T>): Promise<T> {
  const all = join(shadow.directory, 'staging')
  const own = join(all, asideName('files'))
  await mkdir(own, { recursive: true, mode: 0o700 })
  try {
    for (const name of await readdir(all)) {
      const other = join(all, name)
      if (!mayBeNeeded(other)) await remove(other).catch(ignoreStillWritten)
    }
    return await work(own)
  } finally {
    await remove(own)
  }
}

const remove = (directory: string): Promise<void> =>
  rm(directory, { recursive: true, force: true, maxRetries: 3 })

// A git that a killed process has started may write there to its end: then the next one clears it up.
function ignoreStillWritten(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error
}
