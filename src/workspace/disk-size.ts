import { lstatSync, type Stats } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * How many bytes deleting a path would free: the blocks of everything below it. A file with several names counts once,
 * and only when all of its names are below the path: as long as one is elsewhere, as in the person's own repository, its
 * blocks stay, and cost nothing here.
 */
export async function diskSize(path: string): Promise<number> {
  const namesLeft = new Map<number, number>()
  const sizeOf = (found: Stats): number => {
    if (found.isDirectory() || found.nlink === 1) return blocksOf(found)
    const left = (namesLeft.get(found.ino) ?? found.nlink) - 1
    namesLeft.set(found.ino, left)
    return left === 0 ? blocksOf(found) : 0
  }
  const below = async (directory: string): Promise<number> => {
    let bytes = 0
    for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
      const full = join(directory, entry.name)
      const found = look(full)
      if (found) bytes += sizeOf(found)
      if (found?.isDirectory()) bytes += await below(full)
    }
    return bytes
  }
  const top = look(path)
  return top ? sizeOf(top) + (await below(path)) : 0
}

/** Bytes on disk of one file. */
export const blocksOf = (found: Stats): number => found.blocks * 512

/** What is there, links not followed. At once: one takes 3 µs, waiting for it 40. */
export const look = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })
