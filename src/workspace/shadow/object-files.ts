import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { blocksOf, look } from '../disk-size.ts'

/**
 * The files that a shadow's objects are in. Shared are those that the person's repository has too, by a hard link: they
 * cost nothing as long as it has them, and are ours alone from the day it repacks.
 */
export interface ObjectFiles {
  readonly packs: readonly Pack[]
  readonly loose: readonly LooseObject[]
  /** What processes that were killed left, and what only speeds up the finding of objects that may go now. */
  readonly litter: readonly string[]
}

export interface Pack {
  readonly name: string
  readonly shared: boolean
  /** The index first: without it, git does not look for the rest. */
  readonly files: readonly string[]
  readonly bytes: number
}

export interface LooseObject {
  readonly id: string
  readonly file: string
  readonly shared: boolean
  readonly bytes: number
}

/** What is in a directory of objects, while nobody writes to it. */
export async function findObjectFiles(objects: string): Promise<ObjectFiles> {
  const loose: LooseObject[] = []
  const litter: string[] = []
  for (const group of await readdir(objects)) {
    if (group.startsWith('tmp_')) litter.push(join(objects, group))
    if (!/^[0-9a-f]{2}$/.test(group)) continue
    for (const name of await readdir(join(objects, group))) {
      const file = join(objects, group, name)
      const found = look(file)
      if (name.startsWith('tmp_')) litter.push(file)
      else if (found && /^([0-9a-f]{38}|[0-9a-f]{62})$/.test(name))
        loose.push({ id: group + name, file, shared: found.nlink > 1, bytes: blocksOf(found) })
    }
  }
  for (const name of await readdir(join(objects, 'info')).catch(() => [])) {
    if (/^(packs|commit-graph)/.test(name)) litter.push(join(objects, 'info', name))
  }
  const { packs, rest } = await findPacks(join(objects, 'pack'))
  return { packs, loose, litter: [...litter, ...rest] }
}

async function findPacks(
  directory: string,
): Promise<{ readonly packs: readonly Pack[]; readonly rest: readonly string[] }> {
  const names = await readdir(directory).catch(() => [])
  const stems = Map.groupBy(names, (name) => /^(pack-[0-9a-f]+)\.\w+$/.exec(name)?.[1] ?? '')
  const packs: Pack[] = []
  const rest: string[] = []
  for (const [name, members] of stems) {
    const files = members.toSorted((a, b) => rank(a) - rank(b)).map((member) => join(directory, member))
    const found = look(join(directory, `${name}.pack`))
    const isWhole = found !== undefined && members.includes(`${name}.idx`)
    if (!isWhole) rest.push(...files)
    else {
      const bytes = files.reduce((sum, file) => sum + ownBytes(file), 0)
      packs.push({ name, shared: found.nlink > 1, files, bytes })
    }
  }
  return { packs, rest }
}

const rank = (name: string): number => (name.endsWith('.idx') ? 0 : 1)

function ownBytes(file: string): number {
  const found = look(file)
  return found?.nlink === 1 ? blocksOf(found) : 0
}
