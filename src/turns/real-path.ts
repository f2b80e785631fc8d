import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, sep } from 'node:path'

/** More links than this lead nowhere: no system follows as many. */
const mostLinks = 40

/** Where a file is, or would be created: every link is followed. Null where that cannot be known, as in a circle of links. */
export const realPathOf = (path: string): Promise<string | null> => follow(path, { left: mostLinks })

/** Where a link itself is: only the directories that lead to it are followed. */
export async function realPathOfLink(path: string): Promise<string | null> {
  const parent = await realPathOf(dirname(path))
  return parent === null ? null : join(parent, basename(path))
}

// The links of a whole path are counted together, as the system does: else a few could keep us busy for ever.
async function follow(path: string, links: { left: number }): Promise<string | null> {
  try {
    return await realpath(path)
  } catch {
    // A file that does not exist yet, or a link to one.
  }
  const parent = dirname(path)
  if (parent === path) return null
  const realParent = await follow(parent, links)
  if (realParent === null) return null
  // Below a directory that does not exist yet, the system finds no link that lies beside it: look where it would be.
  const place = join(realParent, basename(path))
  const target = await targetOf(place)
  if (target === undefined) return null
  if (target === null) return place
  links.left -= 1
  if (links.left < 0) return null
  // Not normalised: a step upwards starts where the links before it lead.
  return follow(isAbsolute(target) ? target : `${realParent}${sep}${target}`, links)
}

// Null for what is no link; undefined where the system would not tell.
async function targetOf(path: string): Promise<string | null | undefined> {
  try {
    return await readlink(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    return noLink.has(code) ? null : undefined
  }
}

const noLink: ReadonlySet<unknown> = new Set(['EINVAL', 'ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG'])

/** The directory itself, or something below it. */
export const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
