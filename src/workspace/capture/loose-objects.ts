import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'

// git's own form for single objects, written without git: for a few small ones a process costs more than they do.

export interface LooseObject {
  readonly id: string
  readonly bytes: Buffer
}

/** Names objects as the repository that `sample` is an id of: by SHA-1 or by SHA-256. */
export function toObject(type: 'blob' | 'tree', content: Buffer, sample: string): LooseObject {
  const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
  const id = createHash(sample.length === 64 ? 'sha256' : 'sha1')
    .update(bytes)
    .digest('hex')
  return { id, bytes }
}

/**
 * Puts objects among the others, whole or not at all; those that are there already are left. The system brings them to
 * the disk in its own time (see `after-restart.ts`). `aside` names a new file in a directory that is used all the time:
 * to make one in each object's own takes file systems a hundred times as long.
 */
export function writeObjects(directory: string, aside: () => string, objects: readonly LooseObject[]): void {
  // A tree must not be found before what it refers to: they were given in that order.
  for (const { id, bytes } of objects) {
    const path = join(directory, id.slice(0, 2), id.slice(2))
    if (existsSync(path)) continue
    const from = aside()
    writeFileSync(from, deflateSync(bytes, { level: 1 }), { flag: 'wx', mode: 0o444 })
    mkdirSync(dirname(path), { recursive: true })
    renameSync(from, path)
  }
}
