import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { readRegularFile, readTextIfThere } from '../read-regular-file.ts'
import { brief, type GitPlace, toText, tryGit } from './git.ts'

/** The files that a session's directory belongs to: a work tree of a git repository, or just that directory. */
export interface Project {
  /** The same for all work trees of one repository: they share a shadow. */
  readonly id: string
  /** The top of the work tree, or the directory itself. */
  readonly root: string
  readonly repository: Repository | null
}

export interface Repository {
  /** Of this work tree. */
  readonly gitDir: string
  /** Of all its work trees. */
  readonly commonDir: string
  readonly index: string
  /** The commit that is checked out, and its branch; null before the first commit, or when no branch is. */
  readonly head: string | null
  readonly branch: string | null
}

/** git in the person's own repository: only to look, and to add and remove work trees. */
export const inRepository = (cwd: string): GitPlace => ({ cwd, env: {} })

/** Read from its files and not asked of git: it is wanted at both ends of every turn, and a process takes 6 ms. */
export async function findProject(directory: string): Promise<Project> {
  const start = await realpath(directory)
  for (let root = start; ; root = dirname(root)) {
    const gitDir = await gitDirOf(root)
    if (gitDir) {
      const repository = await repositoryAt(gitDir)
      return { id: idOf(repository.commonDir), root, repository }
    }
    if (dirname(root) === root) return { id: idOf(start), root: start, repository: null }
  }
}

// A directory, or in a linked work tree and in a submodule a file that says where it is.
export async function gitDirOf(root: string): Promise<string | null> {
  const path = join(root, '.git')
  const text = readTextIfThere(path)
  const gitDir = text === null ? path : resolve(root, /^gitdir: (.*)/.exec(text)?.[1] ?? '')
  return (await stat(join(gitDir, 'HEAD')).catch(() => null)) ? gitDir : null
}

async function repositoryAt(gitDir: string): Promise<Repository> {
  const common = readTextIfThere(join(gitDir, 'commondir'))
  const commonDir = await realpath(common === null ? gitDir : resolve(gitDir, common.trim()))
  const { ref, commit } = await readHead(gitDir, commonDir)
  return {
    gitDir,
    commonDir,
    index: join(gitDir, 'index'),
    head: commit,
    branch: ref?.replace('refs/heads/', '') ?? null,
  }
}

/** What is checked out at a git directory: its ref, null where a commit is; and the commit, null before the first. */
export interface Head {
  readonly ref: string | null
  readonly commit: string | null
}

export async function readHead(gitDir: string, commonDir: string): Promise<Head> {
  const text = readRegularFile(join(gitDir, 'HEAD')).toString().trim()
  const ref = /^ref: (.*)/.exec(text)?.[1] ?? null
  if (ref === null) return { ref, commit: text }
  if (ref !== inTables) return { ref, commit: await commitOf(gitDir, commonDir, ref) }
  const [name, commit] = await Promise.all([
    tryGit(atGitDir(gitDir), ['symbolic-ref', '-q', 'HEAD'], brief),
    askForCommit(gitDir),
  ])
  return { ref: name.code === 0 ? toText(name.stdout.trim()) : null, commit }
}

/** What the file says where refs are kept in tables (reftable): then only git knows. */
const inTables = 'refs/heads/.invalid'

async function commitOf(gitDir: string, commonDir: string, ref: string): Promise<string | null> {
  const loose = readTextIfThere(join(commonDir, ref))
  if (loose !== null && /^[0-9a-f]{40,64}\s*$/.test(loose)) return loose.trim()
  const packed = readTextIfThere(join(commonDir, 'packed-refs'), 'utf8', mostRefs) ?? ''
  const commit = packed.split('\n').find((line) => line.endsWith(` ${ref}`))
  // A ref that names another, or not there before the first commit: git knows.
  return commit === undefined ? askForCommit(gitDir) : commit.slice(0, -ref.length - 1)
}

/** A repository with a million refs has less. */
const mostRefs = 2 ** 28

async function askForCommit(gitDir: string): Promise<string | null> {
  const { code, stdout } = await tryGit(
    atGitDir(gitDir),
    ['rev-parse', '-q', '--verify', 'HEAD^{commit}'],
    brief,
  )
  return code === 0 ? stdout.trim() : null
}

/** git at one git directory, whatever work tree it is of. */
export const atGitDir = (gitDir: string): GitPlace => ({ cwd: gitDir, env: { GIT_DIR: gitDir } })

// The name tells a person whose it is, the hash tells them apart.
function idOf(path: string): string {
  const name = basename(basename(path) === '.git' ? dirname(path) : path).replace(/[^A-Za-z0-9]+/g, '-')
  return `${name.slice(0, 30) || 'root'}-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`
}
