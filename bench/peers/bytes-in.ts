import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Of all files in a directory, and below it. */
export async function bytesIn(directory: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  return bytes
}
