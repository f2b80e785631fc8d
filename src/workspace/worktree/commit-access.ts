import { mkdir, readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { findProject, type Project, type Repository } from '../project.ts'

/** Which files a program needs that works in a directory and commits there. Of two for one file, the deeper one holds. */
export interface CommitAccess {
  readonly write: readonly string[]
  readonly read: readonly string[]
}

/**
 * Finds what committing in a linked worktree needs: objects, its own branch with its log, and its own index and HEAD. What git
 * takes commands from stays unwritable, and so do other branches.
 *
 * In a main work tree nothing of git can be written: whoever may write the index there may also make a file `commondir`,
 * from which git takes another config.
 *
 * `branch` is the one that bough made the worktree with; null for a worktree of the person's, where HEAD tells.
 */
export async function commitAccess(directory: string, branch: string | null): Promise<CommitAccess> {
  const project = await findProject(directory)
  const { root, repository } = project
  const dotGit = join(root, '.git')
  if (!repository) return { write: [], read: [dotGit] }
  const seen = [root, dotGit, repository.commonDir, repository.gitDir]
  if (!(await isLinked(project, repository))) return { write: [], read: seen }
  const { commonDir, gitDir } = repository
  // Without the file git reads nothing; an empty one says the same, and cannot be replaced.
  await writeFile(join(gitDir, 'config.worktree'), '', { flag: 'wx' }).catch(() => {})
  const ref = `refs/heads/${branch ?? repository.branch}`
  const places = await Promise.all(['', 'logs'].map((folder) => placeOfRef(join(commonDir, folder), ref)))
  const fixed = ['commondir', 'gitdir', 'config.worktree', 'locked', 'modules', 'hooks']
  return {
    write: [gitDir, join(commonDir, 'objects'), ...places.flatMap((place) => place?.folder ?? [])],
    read: [
      ...seen.slice(0, -1),
      ...fixed.map((name) => join(gitDir, name)),
      ...places.flatMap((place) => place?.others ?? []),
    ],
  }
}

// Both must name each other: a file `.git` that an agent wrote could name any directory.
async function isLinked({ root }: Project, { gitDir, commonDir }: Repository): Promise<boolean> {
  const own = await realpath(gitDir)
  if (dirname(own) !== join(commonDir, 'worktrees')) return false
  const back = await readFile(join(own, 'gitdir'), 'utf8').catch(() => '')
  return (await realpath(resolve(own, back.trim())).catch(() => null)) === join(root, '.git')
}

interface RefPlace {
  /** Where the ref lies: its lock must be made beside it. */
  readonly folder: string
  readonly others: readonly string[]
}

// A name that leads out of the branches, also by a link, is none that git made.
async function placeOfRef(top: string, ref: string): Promise<RefPlace | null> {
  const folder = dirname(join(top, ref))
  const heads = join(top, 'refs', 'heads')
  if (!(await stat(heads).catch(() => null))) return null
  if (!isBelow(join(top, ref), heads)) return null
  await mkdir(folder, { recursive: true }).catch(() => {})
  const real = await realpath(folder).catch(() => null)
  if (real === null || (real !== heads && !isBelow(real, heads))) return null
  const names = await readdir(real)
  return {
    folder: real,
    others: names.map((name) => join(real, name)).filter((path) => path !== join(top, ref)),
  }
}

const isBelow = (path: string, directory: string): boolean => path.startsWith(`${directory}/`)
