import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { PermissionRequest } from '../agents/driver.ts'
import type { Place } from './policy.ts'

/**
 * Where a file lies, links followed. Inside both the session's directory and bough's own, the deeper one decides. `settings` is
 * what agents are configured by in a project.
 */
export async function placeOf(
  { path, linkItself = false, isDeep = false }: Pick<PermissionRequest, 'path' | 'linkItself' | 'isDeep'>,
  directory: string,
  ownDirectories: readonly string[],
  settings: readonly string[],
): Promise<Place> {
  if (path === undefined) return 'elsewhere'
  const file = linkItself
    ? join(await realpathOfFuture(dirname(path)), basename(path))
    : await realpathOfFuture(path)
  const session = await realpathOfFuture(directory)
  const inSession = isWithin(file, session)
  for (const ownDirectory of ownDirectories) {
    const own = await realpathOfFuture(ownDirectory)
    if (isWithin(file, own) && !(inSession && isWithin(session, own))) return 'bough-data'
    if (isDeep && isWithin(own, file)) return 'elsewhere'
  }
  if (!inSession) return 'elsewhere'
  // An agent that could write these would have an agent's next start, or the person's git, run what it likes.
  const kept = new Set(['.git', ...settings].map((name) => name.toLowerCase()))
  const steps = relative(session, file).toLowerCase().split(sep)
  return steps.some((step) => kept.has(step)) ? 'session-settings' : 'session-directory'
}

// Of a file that need not exist yet: where it would come to lie. A link that leads nowhere yet leads there all the same.
async function realpathOfFuture(path: string, links = 40): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    if (parent === path || links === 0) return path
    const target = await readlink(path).catch(() => null)
    if (target !== null) return realpathOfFuture(resolve(parent, target), links - 1)
    return join(await realpathOfFuture(parent, links), basename(path))
  }
}

/** The directory itself, or something below it. */
export const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
