import { lstat } from 'node:fs/promises'
import { dirname, isAbsolute, relative, sep } from 'node:path'
import type { PermissionRequest } from '../agents/driver.ts'
import { hasCode } from '../tree/error.ts'
import { folded, hasProtectedName, matchesAny } from './protected-names.ts'
import { isWithin, realPathOf, realPathOfLink } from './real-path.ts'

/** What an agent may do with a file: act, act once a person has allowed it, or nothing at all. */
export type Access = 'free' | 'asked' | 'never'

/** What was found out about a file, before the person's rules. */
export interface FileAccess {
  readonly access: Access
  readonly reason: 'inside' | 'outside' | 'too-wide' | 'protected' | 'hard-link' | 'unresolvable' | 'own-data'
  /** Where the file is, or would be created: every link is followed. */
  readonly realPath: string
  /**
   * Only an approval for this one call covers the file: programs take commands from it, or nobody can tell what it is.
   * Where reading is free, that is not looked at.
   */
  readonly isProtected: boolean
}

/** What is closed or asked, whatever directory a session works in. */
export interface AccessLimits {
  /** bough's own files and directories. */
  readonly ownData: readonly string[]
  /** The person's home directories. */
  readonly homes: readonly string[]
  /** Names and paths of files that take commands, beside those that are always protected. */
  readonly protected: readonly string[]
}

type FileRequest = Pick<PermissionRequest, 'action' | 'linkItself' | 'isDeep'> & { readonly path: string }

/** Judges a file by its real location. Inside both the session's directory and bough's own, the deeper one decides. */
export async function judgeFile(
  request: FileRequest,
  directory: string,
  limits: AccessLimits,
): Promise<FileAccess> {
  const { path, action, linkItself = false, isDeep = false } = request
  const [realPath, session] = await Promise.all([
    linkItself ? realPathOfLink(path) : realPathOf(path),
    realPathOf(directory),
  ])
  if (realPath === null || session === null)
    return { access: 'asked', reason: 'unresolvable', realPath: path, isProtected: true }

  const inSession = isWithin(realPath, session)
  if (await isOwnData(realPath, isDeep, inSession ? session : null, limits.ownData))
    return { access: 'never', reason: 'own-data', realPath, isProtected: true }

  const isWide = await isTooWide(session, limits.homes)
  if (inSession && !isWide && action === 'read')
    return { access: 'free', reason: 'inside', realPath, isProtected: false }

  const isSource = await takesCommands(realPath, inSession ? session : null, limits)
  const isShared = action === 'write' && !linkItself && (await hasOtherNames(realPath))
  const found = { realPath, isProtected: isSource || isShared }
  if (isShared && !isSource) return { ...found, access: 'asked', reason: 'hard-link' }
  if (!inSession) return { ...found, access: 'asked', reason: 'outside' }
  if (isWide) return { ...found, access: 'asked', reason: 'too-wide' }
  if (isSource) return { ...found, access: 'asked', reason: 'protected' }
  return { ...found, access: 'free', reason: 'inside' }
}

// What is written to a hard link is written wherever its other names are: nothing tells where that is.
async function hasOtherNames(file: string): Promise<boolean> {
  const stats = await lstat(file).catch(() => null)
  return stats?.isFile() === true && stats.nlink > 1
}

// A session may work inside bough's own directory: in a worktree, in the demo.
async function isOwnData(
  file: string,
  isDeep: boolean,
  session: string | null,
  ownData: readonly string[],
): Promise<boolean> {
  for (const path of ownData) {
    const own = (await realPathOf(path)) ?? path
    const isBelow = isWithin(folded(file), folded(own))
    if (isBelow && !(session !== null && isWithin(session, own))) return true
    if (isDeep && isWithin(folded(own), folded(file))) return true
  }
  return false
}

/** A file-system root, a home directory or what holds one: too much lies below to be free. */
export async function isTooWide(session: string, homes: readonly string[]): Promise<boolean> {
  if (dirname(session) === session) return true
  const real = await Promise.all(homes.map(realPathOf))
  return real.some((home) => home !== null && isWithin(folded(home), folded(session)))
}

// An agent that could write these would have another program run what it likes.
async function takesCommands(file: string, session: string | null, limits: AccessLimits): Promise<boolean> {
  // Loaded with the first write: a command that only reads starts faster without.
  const { gitCommandSources, isInGitDirectory } = await import('../workspace/command-sources.ts')
  const [home = '~'] = limits.homes
  const patterns = limits.protected.map((pattern) => pattern.replace(/^~(?=\/|$)/, () => home))
  const [paths, names] = [patterns.filter(isAbsolute), patterns.filter((pattern) => !isAbsolute(pattern))]
  const below = session === null ? file : sep + relative(session, file)
  if (hasProtectedName(below, names) || matchesAny(file, paths) || isInGitDirectory(file)) return true
  const sources = await gitCommandSources(file).catch(nullWhenUnreadable)
  if (sources === null) return true
  for (const source of [...sources, ...paths.map(withoutWildcards)])
    if (await isPartOf(file, source)) return true
  return false
}

// Nobody knows then what git takes its commands from.
function nullWhenUnreadable(error: unknown): null {
  if (hasCode(error, 'file_unreadable')) return null
  throw error
}

const withoutWildcards = (path: string): string => path.replace(/\/[/*]*$/, '')

// Of a source that is a link, the link counts too: an agent could put another file in its place.
async function isPartOf(file: string, source: string): Promise<boolean> {
  const places = await Promise.all([realPathOf(source), realPathOfLink(source)])
  return places.some((place) => place !== null && isWithin(folded(file), folded(place)))
}
