import { createHash } from 'node:crypto'
import { closeSync, existsSync, fsync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** Puts objects among the others, on disk for good. Those that are there already are left. */
export async function writeObjects(directory: string, objects: readonly LooseObject[]): Promise<void> {
  const distinct = [...new Map(objects.map((object) => [object.id, object])).values()]
  const written = distinct.flatMap((object) => writeAside(directory, object) ?? [])
  // All at once: the disk does it in one go.
  await Promise.all(written.map(({ file }) => sync(file).finally(() => closeSync(file))))
  // A tree must not be found before what it refers to: they were given in that order.
  for (const { aside, path } of written) renameSync(aside, path)
}

const sync = promisify(fsync)

function writeAside(directory: string, { id, bytes }: LooseObject) {
  const folder = join(directory, id.slice(0, 2))
  const path = join(folder, id.slice(2))
  if (existsSync(path)) return null
  mkdirSync(folder, { recursive: true })
  const aside = join(folder, `tmp_obj_${crypto.randomUUID().slice(0, 8)}`)
  const file = openSync(aside, 'wx', 0o444)
  writeFileSync(file, deflateSync(bytes, { level: 1 }))
  return { file, aside, path }
}
