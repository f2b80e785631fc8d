import { createHash } from 'node:crypto'
import {
  copyFile,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type GitPlace, toText, tryGit } from './git.ts'
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
    await shadow.#takeOverExcludes()
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
   * do this at once: each has its own, and either result is a good start for the next.
   */
  async withIndex<T>(
    work: (index: string, isNew: boolean) => Promise<T>,
    root = this.#project.root,
  ): Promise<T> {
    const kept = join(this.directory, 'indexes', createHash('sha256').update(root).digest('hex').slice(0, 16))
    const own = `${kept}.${process.pid}-${crypto.randomUUID().slice(0, 8)}`
    try {
      const isNew = !(await copyIndex(kept, own))
      const result = await work(own, isNew)
      await rename(own, kept).catch(ignoreMissing)
      return result
    } finally {
      await rm(own, { force: true })
      await rm(`${own}.lock`, { force: true })
    }
  }

  /** Starts an index from the project's own, which knows the hash of every file that has not changed since. */
  async seedIndex(index: string): Promise<boolean> {
    const { repository } = this.#project
    if (!repository || !(await copyIndex(repository.index, index))) return false
    for (const objects of await objectStores(join(repository.commonDir, 'objects'))) {
      await linkObjects(objects, join(this.directory, 'objects'))
    }
    return true
  }

  async #make(): Promise<void> {
    if (await exists(join(this.directory, 'config'))) return
    for (const each of ['objects/info', 'objects/pack', 'refs', 'info', 'indexes']) {
      await mkdir(join(this.directory, each), { recursive: true, mode: 0o700 })
    }
    await writeFile(join(this.directory, 'HEAD'), 'ref: refs/heads/none\n')
    // Byte for byte, whatever the project's attributes say: no line-end conversion, no filters, no keywords.
    const raw = '* -text -eol -ident -filter -working-tree-encoding -diff\n'
    await writeFile(join(this.directory, 'info', 'attributes'), raw)
    // The config comes last: with it, the rest is there too.
    await replaceFile(join(this.directory, 'config'), config + (await ownSettings(this.#project)))
  }

  // Where git looks beside the .gitignore files: the repository's own list here, the person's by our config.
  async #takeOverExcludes(): Promise<void> {
    const { repository } = this.#project
    if (!repository) return
    const wanted = await readFile(join(repository.commonDir, 'info', 'exclude'), 'latin1').catch(() => '')
    const file = join(this.directory, 'info', 'exclude')
    if ((await readFile(file, 'latin1').catch(() => '')) !== wanted) await replaceFile(file, wanted)
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
  const get = async (...args: string[]) =>
    (await tryGit(inRepository(root), ['config', ...args])).stdout.trim()
  const excludes = await get('--type=path', '--get', 'core.excludesFile')
  const format = repository ? await get('--get', 'extensions.objectFormat') : ''
  return [
    excludes && `[core]\n\texcludesFile = ${JSON.stringify(toText(excludes))}\n`,
    format && `[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = ${format}\n`,
  ].join('')
}

/**
 * Copies an index with its time: git takes files that changed after it for suspects and looks into them, which a newer
 * time would keep it from. Rounded down, so that the doubtful ones are looked at.
 */
async function copyIndex(from: string, to: string): Promise<boolean> {
  const found = await stat(from).catch(() => null)
  if (!found) return false
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, to)
  const time = Math.floor(found.mtimeMs / 1000)
  await utimes(to, time, time)
  return true
}

// Repositories made with --shared or --reference have the rest of their objects elsewhere, and those again.
async function objectStores(objects: string, seen: readonly string[] = []): Promise<readonly string[]> {
  if (seen.includes(objects)) return seen
  let all: readonly string[] = [...seen, objects]
  const alternates = await readFile(join(objects, 'info', 'alternates'), 'utf8').catch(() => '')
  for (const line of alternates.split('\n')) {
    if (line !== '' && !line.startsWith('#')) all = await objectStores(resolve(objects, line), all)
  }
  return all
}

// Objects never change: a hard link is as good as a copy, costs no space and survives the deletion of the original.
async function linkObjects(from: string, to: string): Promise<void> {
  for (const group of await readdir(from)) {
    if (!/^([0-9a-f]{2}|pack)$/.test(group)) continue
    const there = new Set(await readdir(join(to, group)).catch(() => []))
    const names = (await readdir(join(from, group))).filter(
      (name) => !there.has(name) && !name.startsWith('tmp_'),
    )
    if (names.length > 0) await mkdir(join(to, group), { recursive: true })
    // An index makes its pack visible: it has to come after it.
    for (const name of names.toSorted((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')))) {
      if (/\.(keep|promisor|lock|bitmap|rev|mtimes)$/.test(name)) continue
      await linkOrCopy(join(from, group, name), join(to, group, name))
    }
  }
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST' || code === 'ENOENT') return
    // Another file system, or one without links: aside first, so that no half of it is ever seen.
    const aside = `${to}.${process.pid}.tmp`
    await copyFile(from, aside)
    await rename(aside, to)
  }
}

// Aside first: nobody ever sees half of it.
async function replaceFile(path: string, content: string): Promise<void> {
  const aside = `${path}.${process.pid}-${crypto.randomUUID().slice(0, 8)}`
  await writeFile(aside, content, 'latin1')
  await rename(aside, path)
}

const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error
}
