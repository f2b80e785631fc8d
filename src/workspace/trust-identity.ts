import { lstat, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { readTextIfThere } from '../read-regular-file.ts'
import { gitDirOf } from './project.ts'

export interface TrustIdentity {
  /** What an agent works in: the top of the work tree, or the directory itself. */
  readonly root: string
  /** The git directory that all work trees share; null without git. */
  readonly commonDirectory: string | null
  /** Every name under which it may be trusted; a person trusts all of them at once. */
  readonly names: readonly string[]
  /** Without git, trust in a parent covers it. */
  readonly inherits: boolean
}

/**
 * Which repository a directory belongs to, so that its work trees are trusted together. A project must not be able to pass
 * itself off as a trusted one: a `.git` that only points to another git directory counts as a work tree of that only when
 * the git directory points back.
 */
export async function trustIdentity(directory: string): Promise<TrustIdentity> {
  const start = await realpath(directory)
  for (let root = start; ; root = dirname(root)) {
    const gitDir = (await looksLikeGit(root)) ? root : await gitDirOf(root)
    if (gitDir) return identityOf(root, await realpath(gitDir))
    if (dirname(root) === root) return { root: start, commonDirectory: null, names: [start], inherits: true }
  }
}

async function identityOf(root: string, gitDir: string): Promise<TrustIdentity> {
  const common = readTextIfThere(join(gitDir, 'commondir'))
  const commonDirectory = await realpath(common === null ? gitDir : resolve(gitDir, common.trim()))
  // Plain and bare repositories; linked work trees, whose git directory says where they are.
  const isOwn = common === null && (dirname(gitDir) === root || gitDir === root)
  const isLinked = dirname(gitDir) === join(commonDirectory, 'worktrees') && (await pointsBack(gitDir, root))
  const names = isOwn || isLinked ? [commonDirectory] : [root]
  return { root, commonDirectory, names, inherits: false }
}

async function pointsBack(gitDir: string, root: string): Promise<boolean> {
  const back = readTextIfThere(join(gitDir, 'gitdir'))?.trim()
  if (!back) return false
  return (await realpath(dirname(resolve(gitDir, back))).catch(() => null)) === root
}

/** A bare repository, or the inside of a git directory. */
async function looksLikeGit(directory: string): Promise<boolean> {
  const parts = await Promise.all(
    ['HEAD', 'objects', 'refs'].map((name) => lstat(join(directory, name)).catch(() => null)),
  )
  return parts.every((part) => part !== null)
}
