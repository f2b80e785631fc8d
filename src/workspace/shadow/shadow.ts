import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, open, readdir, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { mustNotKeepWaiting, readRegularFile } from '../../read-regular-file.ts'
import { largestIndex } from '../capture/index-file.ts'
import { fromText, GitError, type GitPlace } from '../git.ts'
import type { Project } from '../project.ts'
import { checkAfterRestart } from './after-restart.ts'
import { asideName, isAsideName, mayBeNeeded } from './aside-name.ts'
import { mustNotKeepGitWaiting } from './files-of-git.ts'
import { ownObjects } from './objects.ts'
import { replaceFile } from './replace-file.ts'
import { readSettings, type Settings, textOf } from './settings.ts'

// Small files of our own are read and written at once: that takes microseconds, and waiting for another thread takes more,
// on a busy machine a hundred times as much.

/**
 * A git directory of our own beside a project: its files are hashed into it, its refs keep the snapshots, and the
 * person's repository is only read. It owns every object that its snapshots need, so the person's `git gc` cannot take
 * one away: what the copied index refers to is linked or copied in before anything counts as taken.
 */
export class Shadow {
  readonly directory: string
  /** What the person's own config says, now. */
  readonly settings: Settings
  readonly #project: Project

  static async open(dataDirectory: string, project: Project): Promise<Shadow> {
    const directory = Shadow.directoryOf(dataDirectory, project)
    const isThere = existsSync(join(directory, 'config'))
    if (!isThere) makeDirectories(directory)
    mustNotKeepGitWaiting(project)
    const settings = await readSettings(project, join(directory, 'info', `settings-${nameOf(project.root)}`))
    mustNotKeepWaiting(settings.excludesFile)
    const shadow = new Shadow(directory, project, settings)
    if (!isThere) shadow.#make()
    checkAfterRestart(directory)
    shadow.#takeOverExcludes(realpathSync(dataDirectory))
    return shadow
  }

  static directoryOf(dataDirectory: string, { id }: Pick<Project, 'id'>): string {
    return join(dataDirectory, 'snapshots', id)
  }

  private constructor(directory: string, project: Project, settings: Settings) {
    this.directory = directory
    this.settings = settings
    this.#project = project
  }

  /** git with our directory, our config and no other; `index` is the one to use. */
  place(index: string, root = this.#project.root): GitPlace {
    return {
      cwd: root,
      env: {
        GIT_DIR: this.directory,
        GIT_WORK_TREE: root,
        GIT_INDEX_FILE: index,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'core.excludesFile',
        GIT_CONFIG_VALUE_0: this.settings.excludesFile,
      },
    }
  }

  /**
   * Gives the work a private index of its own, and keeps it for the next time when the work succeeds. Two processes may
   * do this at once: each has its own, and either result is a good start for the next. One that git cannot work with is
   * given up for a new one.
   */
  async withIndex<T>(
    work: (index: string, isNew: boolean) => Promise<T>,
    root = this.#project.root,
  ): Promise<T> {
    const kept = this.#keptIndex(root)
    this.#clearUp()
    const attempt = (start: string | null): Promise<T> =>
      this.withAside(nameOf(root), async (own) => {
        const isNew = start === null || !linkIndex(start, own)
        const file = isNew ? null : openSync(own, 'r')
        const working = work(own, isNew)
        // Looked at while git works with it: nothing of that counts when it is damaged.
        const isDamaged = file !== null && !isWhole(file)
        const result = await working.catch((error) => {
          throw isDamaged ? damaged(kept) : error
        })
        if (isDamaged) throw damaged(kept)
        if (existsSync(own)) renameSync(own, kept)
        return result
      })
    return attempt(kept).catch((error) => {
      // One that says nothing was killed for taking too long.
      if (error instanceof GitError && error.stderr !== '') return attempt(null)
      throw error
    })
  }

  /** Where something can be noted about the index that is kept; it goes when that does. */
  notePath(root = this.#project.root): string {
    return `${this.#keptIndex(root)}.note`
  }

  #keptIndex(root: string): string {
    return join(this.directory, 'indexes', nameOf(root))
  }

  /** A file of this process alone, cleared up when the process is gone. */
  aside(name: string): string {
    return join(this.directory, 'indexes', asideName(name))
  }

  /** Gives the work such a file, mostly for an index; it goes with the lock that git may leave. */
  async withAside<T>(name: string, work: (path: string) => Promise<T>): Promise<T> {
    const own = this.aside(name)
    try {
      return await work(own)
    } finally {
      for (const file of [own, `${own}.lock`]) rmSync(file, { force: true })
    }
  }

  /** Keeps a tree under a name: a ref, as git itself would write it, without starting git. */
  async keep(id: string, tree: string): Promise<void> {
    const directory = join(this.directory, 'refs', 'snapshots')
    await mkdir(directory, { recursive: true })
    const aside = this.aside(id)
    await writeFile(aside, `${tree}\n`, { flush: true })
    await rename(aside, join(directory, id))
    // The name too: what the store knows must be there after a power cut.
    const folder = await open(directory)
    await folder.sync().finally(() => folder.close())
  }

  /** Starts an index from the project's own, which knows the hash of every file that has not changed since. */
  async seedIndex(index: string): Promise<boolean> {
    const { repository } = this.#project
    if (!repository || !(await copyIndex(repository.index, index))) return false
    // Where the person has split theirs, most of it is in another file.
    for (const name of await readdir(repository.gitDir)) {
      if (name.startsWith('sharedindex.')) {
        await copyIndex(join(repository.gitDir, name), join(this.directory, name))
      }
    }
    await ownObjects(
      this.place(index),
      join(this.directory, 'objects'),
      join(repository.commonDir, 'objects'),
    )
    return true
  }

  // What processes that were killed have left.
  #clearUp(): void {
    const directory = join(this.directory, 'indexes')
    for (const name of readdirSync(directory)) {
      const file = join(directory, name)
      if (isAsideName(name) && !mayBeNeeded(file)) rmSync(file, { force: true })
    }
  }

  #make(): void {
    writeFileSync(join(this.directory, 'HEAD'), 'ref: refs/heads/none\n')
    // Byte for byte, whatever the project's attributes say: no line-end conversion, no filters, no keywords.
    const raw = '* -text -eol -ident -filter -working-tree-encoding\n'
    writeFileSync(join(this.directory, 'info', 'attributes'), raw)
    const format = this.#project.repository && this.settings.objectFormat
    const naming = format
      ? `[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = ${format}\n`
      : ''
    // The config comes last: with it, the rest is there too.
    replaceFile(join(this.directory, 'config'), config + naming)
  }

  // Where git looks beside the .gitignore files: the repository's own list here, the person's by `place`. And where
  // bough's data lies inside the project, it is not part of it.
  #takeOverExcludes(data: string): void {
    const { root, repository } = this.#project
    const theirs = repository ? textOf(join(repository.commonDir, 'info', 'exclude')) : ''
    const within = relative(root, data)
    const isInside = within !== '' && within !== '..' && !within.startsWith(`..${sep}`)
    const ours = isInside ? `\n/${fromText(within).replace(/[\\*?[ ]/g, '\\$&')}/\n` : ''
    const file = join(this.directory, 'info', 'exclude')
    if (textOf(file) !== theirs + ours) replaceFile(file, theirs + ours)
  }
}

const config = `[core]
	repositoryformatversion = 0
	bare = false
	filemode = true
	symlinks = true
	autocrlf = false
	safecrlf = false
	precomposeunicode = false
	protectHFS = false
	protectNTFS = false
	splitIndex = false
	compression = 1
	bigFileThreshold = 32m
[user]
	name = bough
	email = bough@localhost
[index]
	version = 4
[checkout]
	workers = 0
[pack]
	compression = 1
`

function makeDirectories(directory: string): void {
  for (const each of ['objects/info', 'objects/pack', 'refs', 'info', 'indexes']) {
    mkdirSync(join(directory, each), { recursive: true, mode: 0o700 })
  }
}

const nameOf = (root: string): string => createHash('sha256').update(root).digest('hex').slice(0, 16)

// git never writes into an index, it puts a new one in its place: a link is as good as a copy, and has the same time.
function linkIndex(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

const damaged = (index: string): GitError => new GitError(['index'], `${index} is damaged`)

/**
 * Copies an index with its time: git takes files that changed after it for suspects and looks into them, which a newer
 * time would keep it from. A little earlier, so that the doubtful ones are looked at.
 */
export async function copyIndex(from: string, to: string): Promise<boolean> {
  const found = await stat(from).catch(() => null)
  if (!found) return false
  await mkdir(dirname(to), { recursive: true })
  await writeFile(to, readRegularFile(from, largestIndex))
  const time = (Math.floor(found.mtimeMs) - 1) / 1000
  await utimes(to, time, time)
  return true
}

// It ends with the hash of the rest. git itself does not look, and takes half of one for other files.
function isWhole(index: number): boolean {
  try {
    const content = readFileSync(index)
    return [20, 32].some(
      (length) =>
        content.length > length &&
        createHash(length === 20 ? 'sha1' : 'sha256')
          .update(content.subarray(0, -length))
          .digest()
          .equals(content.subarray(-length)),
    )
  } finally {
    closeSync(index)
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined
