import { createHash } from 'node:crypto'
import { closeSync, existsSync, fsync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
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
 * Puts objects among the others, on disk for good. Those that are there already are left. `aside` names a new file in a
 * directory that is used all the time: to make one in each object's own takes file systems a hundred times as long.
 */
export async function writeObjects(
  directory: string,
  aside: () => string,
  objects: readonly LooseObject[],
): Promise<void> {
  const pathOf = ({ id }: LooseObject) => join(directory, id.slice(0, 2), id.slice(2))
  const wanted = [...new Map(objects.map((object) => [pathOf(object), object]))]
    .filter(([path]) => !existsSync(path))
    .map(([path, { bytes }]) => ({ path, bytes, from: aside() }))
  const synced: Promise<void>[] = []
  try {
    for (const { from, bytes } of wanted) synced.push(writeFile(from, deflateSync(bytes, { level: 1 })))
    // Meanwhile: the disk takes as long as all of this.
    for (const { path } of wanted) mkdirSync(dirname(path), { recursive: true })
  } finally {
    await Promise.all(synced)
  }
  // A tree must not be found before what it refers to: they were given in that order.
  for (const { path, from } of wanted) renameSync(from, path)
}

function writeFile(path: string, content: Buffer): Promise<void> {
  const file = openSync(path, 'wx', 0o444)
  try {
    writeFileSync(file, content)
  } catch (error) {
    closeSync(file)
    throw error
  }
  return sync(file).finally(() => closeSync(file))
}

const sync = promisify(fsync)
