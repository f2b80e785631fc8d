import { renameSync, writeFileSync } from 'node:fs'
import { asideName } from './aside-name.ts'

/**
 * Writes a small file aside first: nobody ever sees half of it. Bytes as latin1. At once: it takes less than waiting
 * for another thread does, on a busy machine much less.
 */
export function replaceFile(path: string, content: string): void {
  const aside = asideName(path)
  writeFileSync(aside, content, 'latin1')
  renameSync(aside, path)
}
