import { createHash } from 'node:crypto'
import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { fromText, GitError, type GitPlace, records, tryGit } from './git.ts'
import { ownObjects } from './objects.ts'
import { inRepository, type Project } from './project.ts'

/**
 * A git directory of our own beside a project: its files are hashed into it, its refs keep the snapshots, and the
 * person's repository is only read. It owns every object that its snapshots need, so the person's `git gc` cannot take
 * one away: what the copied index refers to is linked or copied in before anything counts as taken.
 */
export class Shadow {
  readonly directory: string
  readonly #project: Project

  static async open(dataDirectory: string, project: Project): Promise<Shadow> {
    const shadow = new Shadow(join(dataDirectory, 'snapshots', project.id), project)
    await shadow.#make()
    await shadow.#takeOverExcludes(await realpath(dataDirectory))
    return shadow
  }

  private constructor(directory: string, project: Project) {
    this.directory = directory
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
    const name = createHash('sha256').update(root).digest('hex').slice(0, 16)
    const kept = join(this.directory, 'indexes', name)
    await this.#clearUp()
    const attempt = async (start: string | null): Promise<T> => {
      const own = this.aside(name)
      try {
        const isNew = start === null || !(await copyIndex(start, own))
        const result = await work(own, isNew)
        await rename(own, kept).catch(ignoreMissing)
        return result
      } finally {
        await rm(own, { force: true })
        await rm(`${own}.lock`, { force: true })
      }
    }
    if (!(await isWhole(kept))) return attempt(null)
    return attempt(kept).catch((error) => {
      // One that says nothing was killed for taking too long.
      if (error instanceof GitError && error.stderr !== '') return attempt(null)
      throw error
    })
  }

  /** A file of this process alone, cleared up when the process is gone. */
  aside(name: string): string {
    return join(this.directory, 'indexes', `${name}.${process.pid}-${crypto.randomUUID().slice(0, 8)}`)
  }

  /** Keeps a tree under a name: a ref, as git itself would write it, without starting git. */
  async keep(id: string, tree: string): Promise<void> {
    const directory = join(this.directory, 'refs', 'snapshots')
    await mkdir(directory, { recursive: true })
    const aside = this.aside(id)
    await writeFile(aside, `${tree}\n`, { flush: true })
    await rename(aside, join(directory, id))
  }

  /** Starts an index from the project's own, which knows the hash of every file that has not changed since. */
  async seedIndex(index: string): Promise<boolean> {
    const { repository } = this.#project
    if (!repository || !(await copyIndex(repository.index, index))) return false
    // Where the person has split theirs, most of it is in another file.
    for (const name of await readdir(repository.gitDir)) {
      if (name.startsWith('sharedindex.')) {
        await copyFile(join(repository.gitDir, name), join(this.directory, name))
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
  async #clearUp(): Promise<void> {
    const directory = join(this.directory, 'indexes')
    for (const name of await readdir(directory)) {
      const pid = /\.(\d+)-[0-9a-f]{8}(\.lock)?$/.exec(name)?.[1]
      if (pid && !isRunning(Number(pid))) await rm(join(directory, name), { force: true })
    }
  }

  async #make(): Promise<void> {
    if (await exists(join(this.directory, 'config'))) return
    for (const each of ['objects/info', 'objects/pack', 'refs', 'info', 'indexes']) {
      await mkdir(join(this.directory, each), { recursive: true, mode: 0o700 })
    }
    await writeFile(join(this.directory, 'HEAD'), 'ref: refs/heads/none\n')
    // Byte for byte, whatever the project's attributes say: no line-end conversion, no filters, no keywords.
    const raw = '* -text -eol -ident -filter -working-tree-encoding\n'
    await writeFile(join(this.directory, 'info', 'attributes'), raw)
    // The config comes last: with it, the rest is there too.
    await replaceFile(join(this.directory, 'config'), config + (await ownSettings(this.#project)))
  }

  // Where git looks beside the .gitignore files: the repository's own list here, the person's by our config. And where
  // bough's data lies inside the project, it is not part of it.
  async #takeOverExcludes(data: string): Promise<void> {
    const { root, repository } = this.#project
    const theirs = repository
      ? await readFile(join(repository.commonDir, 'info', 'exclude'), 'latin1').catch(() => '')
      : ''
    const within = relative(root, data)
    const isInside = within !== '' && within !== '..' && !within.startsWith(`..${sep}`)
    const ours = isInside ? `\n/${fromText(within).replace(/[\\*?[ ]/g, '\\$&')}/\n` : ''
    const file = join(this.directory, 'info', 'exclude')
    if ((await readFile(file, 'latin1').catch(() => '')) !== theirs + ours) {
      await replaceFile(file, theirs + ours)
    }
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

// What has to be as in the person's own repository: how objects are named, and what they never want to see.
async function ownSettings({ root, repository }: Project): Promise<string> {
  const names = '^(core\\.excludesfile|extensions\\.objectformat)$'
  const args = ['config', '-z', '--type=path', '--get-regexp', names]
  const settings = new Map<string, string>()
  for (const record of records((await tryGit(inRepository(root), args)).stdout)) {
    const end = record.indexOf('\n')
    settings.set(record.slice(0, end), record.slice(end + 1))
  }
  const excludes = settings.get('core.excludesfile')
  const format = repository && settings.get('extensions.objectformat')
  return [
    excludes && `[core]\n\texcludesFile = ${JSON.stringify(excludes)}\n`,
    format && `[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = ${format}\n`,
  ].join('')
}

/**
 * Copies an index with its time: git takes files that changed after it for suspects and looks into them, which a newer
 * time would keep it from. A little earlier, so that the doubtful ones are looked at.
 */
export async function copyIndex(from: string, to: string): Promise<boolean> {
  const found = await stat(from).catch(() => null)
  if (!found) return false
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, to)
  const time = (Math.floor(found.mtimeMs) - 1) / 1000
  await utimes(to, time, time)
  return true
}

// Aside first: nobody ever sees half of it.
async function replaceFile(path: string, content: string): Promise<void> {
  const aside = `${path}.${process.pid}-${crypto.randomUUID().slice(0, 8)}`
  await writeFile(aside, content, 'latin1')
  await rename(aside, path)
}

// It ends with the hash of the rest. git itself does not look, and takes half of one for other files.
async function isWhole(index: string): Promise<boolean> {
  const content = await readFile(index).catch(() => Buffer.alloc(0))
  return [['sha1', 20] as const, ['sha256', 32] as const].some(
    ([name, length]) =>
      content.length > length &&
      createHash(name).update(content.subarray(0, -length)).digest().equals(content.subarray(-length)),
  )
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error
}
