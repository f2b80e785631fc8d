import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { captureFiles } from '../capture/capture-files.ts'
import { findProject, type Project } from '../project.ts'
import { Shadow } from '../shadow/shadow.ts'
import { makeWorktree, type Worktree } from '../worktree/worktree.ts'
import { fingerprint, newDirectory, person } from './ground.ts'

// Worktrees of real projects for tests of this folder.

export interface Ground {
  readonly data: string
  readonly managed: string
  readonly project: Project
  readonly shadow: Shadow
  /** The snapshot that was taken. */
  readonly tree: string
}

/** Captures the files that a directory belongs to. */
export async function captured(directory: string, data?: string): Promise<Ground> {
  const home = data ?? (await newDirectory('data'))
  const project = await findProject(directory)
  const shadow = await Shadow.open(home, project)
  const { tree } = await captureFiles(shadow, project, 1 << 30)
  return { data: home, managed: join(home, 'worktrees'), project, shadow, tree }
}

export function plan({ managed, project }: Pick<Ground, 'managed' | 'project'>, name = 'x'): Worktree {
  return { path: join(managed, name), branch: `bough/${name}`, commit: project.repository?.head ?? '' }
}

export interface Made extends Ground {
  readonly worktree: Worktree
  readonly uncommitted: number
}

/** A worktree with the files of a directory as they are now, or of its commit. */
export async function worktreeOf(directory: string, how: 'snapshot' | 'clean' = 'snapshot'): Promise<Made> {
  const ground = await captured(directory)
  const worktree = plan(ground)
  const { shadow, project, tree } = ground
  const made = await makeWorktree(shadow, project, worktree, how === 'clean' ? null : tree)
  return { ...ground, worktree, uncommitted: made.uncommitted }
}

export const statusOf = (directory: string): string =>
  person(directory, '-c', 'core.quotePath=false', 'status', '--porcelain', '--untracked-files=all')

/** The person's repository, but for what a worktree may add to it: one entry and one branch. */
export function exceptOwn(gitDir: string, name = 'x'): Readonly<Record<string, string>> {
  const own = new RegExp(`^(worktrees(/${name}(/.*)?)?|(logs/)?refs/heads/bough(/${name})?)$`)
  return Object.fromEntries(Object.entries(fingerprint(gitDir)).filter(([path]) => !own.test(path)))
}

/** What there is of worktrees in a repository and in bough's data. */
export const remainsIn = (gitDir: string, managed: string): readonly string[] => [
  ...(existsSync(managed) ? readdirSync(managed) : []),
  ...(existsSync(join(gitDir, 'worktrees')) ? readdirSync(join(gitDir, 'worktrees')) : []),
  ...person(gitDir, 'for-each-ref', '--format=%(refname)', 'refs/heads/bough').split('\n').filter(Boolean),
]

/** What to start a program with for it to have no more rights than anybody: root writes everywhere otherwise. */
export function withoutPrivileges(): readonly string[] {
  if (process.getuid?.() !== 0) return []
  const rights = '-dac_override,-dac_read_search'
  return ['setpriv', `--bounding-set=${rights}`, `--inh-caps=${rights}`]
}

export const removeWorker = fileURLToPath(new URL('./remove-worker.ts', import.meta.url))

/** A program that makes a worktree: of which directory, in which data directory, and how, say its arguments. */
export const worktreeWorker = fileURLToPath(new URL('./worktree-worker.ts', import.meta.url))
