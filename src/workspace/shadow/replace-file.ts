import { renameSync, writeFileSync } from 'node:fs'

/**
 * Writes a small file aside first: nobody ever sees half of it. Bytes as latin1. At once: it takes less than waiting
 * for another thread does, on a busy machine much less.
 */
export function replaceFile(path: string, content: string): void {
  const aside = `${path}.${process.pid}-${crypto.randomUUID().slice(0, 8)}`
  writeFileSync(aside, content, 'latin1')
  renameSync(aside, path)
}
