import { lstatSync, type Stats } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { readTextIfThere } from '../read-regular-file.ts'
import { parseGitConfig } from './git-config.ts'
import { gitDirOf } from './project.ts'

// Files from which git takes commands. They are found in its own files, without git: every write of an agent asks.

/** As many files may include each other; git reads no more. */
const deepestInclude = 10

/**
 * Files and directories from which git takes commands where it works on a file: the git directories of the repositories
 * around it, what their config and the person's own name as hooks, and config files that these include.
 */
export async function gitCommandSources(file: string): Promise<readonly string[]> {
  const roots = (await Promise.all(directoriesAbove(file).map(repositoryAt))).filter(
    (found) => found !== null,
  )
  const sources = new Set(roots.flatMap(({ gitDir, commonDir }) => [gitDir, commonDir]))
  const tops = roots.map(({ root }) => root)
  for (const config of personConfigs()) addSources(config, tops, sources)
  for (const { root, gitDir, commonDir } of roots)
    for (const config of [join(commonDir, 'config'), join(gitDir, 'config.worktree')])
      addSources(config, [root], sources)
  return [...sources]
}

/**
 * Whether a file is part of a git directory, whatever that is called, or could make a directory one. Work trees may lie
 * below a git directory: they are no part of it.
 */
export function isInGitDirectory(file: string): boolean {
  // Every git directory has one, and all else that makes it one may be there already.
  if (basename(file).toLowerCase() === 'head') return true
  for (const directory of directoriesAbove(file)) {
    if (!hasFile(directory, 'HEAD')) continue
    const [step = '', ...rest] = relative(directory, file).split(sep)
    if (gitNames.has(step.toLowerCase())) return true
    if (isGitDirectory(directory) && !hasWorkTree(join(directory, step), rest)) return true
  }
  return false
}

interface RepositoryAround {
  readonly root: string
  readonly gitDir: string
  readonly commonDir: string
}

async function repositoryAt(root: string): Promise<RepositoryAround | null> {
  if (!isThere(join(root, '.git'))) return null
  const gitDir = await gitDirOf(root)
  if (gitDir === null) return null
  const common = readTextIfThere(join(gitDir, 'commondir'))
  return { root, gitDir, commonDir: common === null ? gitDir : resolve(gitDir, common.trim()) }
}

function personConfigs(): readonly string[] {
  const { GIT_CONFIG_GLOBAL, XDG_CONFIG_HOME } = process.env
  const own = GIT_CONFIG_GLOBAL
    ? [GIT_CONFIG_GLOBAL]
    : [join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'git', 'config'), join(homedir(), '.gitconfig')]
  return ['/etc/gitconfig', ...own]
}

// Paths of programs are relative to the top of the work tree, those of included files to the file that includes them.
function addSources(config: string, tops: readonly string[], sources: Set<string>, depth = 0): void {
  // Also one that is not there yet: an agent could write it.
  sources.add(config)
  const text = readTextIfThere(config)
  if (text === null || depth > deepestInclude) return
  for (const { section, key, value } of parseGitConfig(text)) {
    const path = value.replace(/^~(?=\/)/, () => homedir())
    if (key === 'path' && (section === 'include' || section === 'includeif'))
      addSources(resolve(dirname(config), path), tops, sources, depth + 1)
    if (section !== 'core' || !programKeys.has(key) || path === '') continue
    for (const top of isAbsolute(path) ? ['/'] : tops) sources.add(resolve(top, path))
  }
}

/** Settings whose value is a program of git's own choosing time, or a directory of such. */
const programKeys = new Set(['hookspath', 'fsmonitor'])

// As git tells one: beside HEAD it has objects and refs, in it or in a common directory.
const isGitDirectory = (directory: string): boolean =>
  isThere(join(directory, 'commondir')) ||
  (isThere(join(directory, 'objects')) && isThere(join(directory, 'refs')))

function hasWorkTree(start: string, steps: readonly string[]): boolean {
  let directory = start
  for (const step of steps) {
    if (isThere(join(directory, '.git'))) return true
    directory = join(directory, step)
  }
  return false
}

const hasFile = (directory: string, name: string): boolean =>
  look(join(directory, name))?.isDirectory() === false

const isThere = (path: string): boolean => look(path) !== null

// At once: each look takes 3 µs, and waiting for another thread 40 or more.
function look(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

function directoriesAbove(file: string): readonly string[] {
  const above = dirname(file)
  return above === file ? [] : [above, ...directoriesAbove(above)]
}

/** The names in a git directory that git itself knows. */
const gitNames: ReadonlySet<string> = new Set([
  ...[
    'head',
    'config',
    'config.worktree',
    'commondir',
    'gitdir',
    'index',
    'description',
    'packed-refs',
    'shallow',
  ],
  ...[
    'hooks',
    'info',
    'objects',
    'refs',
    'reftable',
    'logs',
    'modules',
    'worktrees',
    'branches',
    'remotes',
    'lfs',
  ],
])
