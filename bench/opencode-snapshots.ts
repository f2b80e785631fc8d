import { execFile } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The git commands by which opencode takes its snapshots, run directly: a git directory of its own beside the project,
 * `diff-files` and `ls-files --others` to find what changed, `add` for that, `write-tree`. The first starts from a copy
 * of the project's index and borrows its objects.
 */
export class OpencodeSnapshots {
  readonly #directory: string
  readonly #root: string

  constructor(directory: string, root: string) {
    this.#directory = directory
    this.#root = root
  }

  async first(name: string): Promise<string> {
    const gitDir = join(this.#directory, name)
    await mkdir(gitDir, { recursive: true })
    await this.#git(name, ['init', '-q'])
    await writeFile(join(gitDir, 'objects/info/alternates'), `${join(this.#root, '.git/objects')}\n`)
    await copyFile(join(this.#root, '.git/index'), join(gitDir, 'index'))
    return this.next(name)
  }

  async next(name: string): Promise<string> {
    const [changed, others] = await Promise.all([
      this.#git(name, ['diff-files', '--name-only', '-z']),
      this.#git(name, ['ls-files', '--others', '--exclude-standard', '-z']),
    ])
    const paths = changed + others
    if (paths !== '')
      await this.#git(
        name,
        ['add', '--all', '--sparse', '--pathspec-from-file=-', '--pathspec-file-nul'],
        paths,
      )
    return this.#git(name, ['write-tree'])
  }

  #git(name: string, args: readonly string[], input = ''): Promise<string> {
    const env = { ...process.env, GIT_DIR: join(this.#directory, name), GIT_WORK_TREE: this.#root }
    return new Promise((resolve, reject) => {
      const options = { cwd: this.#root, env, maxBuffer: 2 ** 28 }
      const child = execFile('git', [...args], options, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      )
      // Most do not read it.
      child.stdin?.on('error', () => {}).end(input)
    })
  }
}
