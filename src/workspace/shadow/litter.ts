import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAsideName, mayBeNeeded } from './aside-name.ts'
import { findObjectFiles } from './object-files.ts'
import { asidePrefix } from './repack.ts'

/** Removes what processes that were killed have left in a shadow, while nobody else uses it. */
export async function clearLitter(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.startsWith(asidePrefix)) await removeAll(join(directory, name))
  }
  const { litter } = await findObjectFiles(join(directory, 'objects'))
  for (const file of litter) await rm(file, { recursive: true, force: true })
  for (const below of ['', 'info', 'indexes', 'refs', 'refs/snapshots']) {
    for (const name of await readdir(join(directory, below)).catch(() => [])) {
      const file = join(directory, below, name)
      // Files aside are also written by those who open a shadow, before they use it.
      if (isAsideName(name) ? !mayBeNeeded(file) : name.endsWith('.lock')) await rm(file, { force: true })
    }
  }
}

/** Removes every index that is kept for the next capture, and what belongs to it: they refer to objects that may go. */
export async function clearIndexes(directory: string): Promise<void> {
  for (const name of await readdir(join(directory, 'indexes')).catch(() => [])) {
    const file = join(directory, 'indexes', name)
    if (!isAsideName(name) || !mayBeNeeded(file)) await rm(file, { recursive: true, force: true })
  }
  for (const name of await readdir(directory)) {
    if (name.startsWith('sharedindex.')) await rm(join(directory, name), { force: true })
  }
}

/** Removes a directory that a git whose parent was killed may still write to. */
export const removeAll = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
