import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
} from 'node:fs'

// Whoever works in a project may swap a directory for a link that leads out of it, at any moment. A directory that is held
// stays the same one: what is done by its `at` happens in it, whatever has its name by then.

/** Linux opens a directory so without the right to read it; elsewhere it has to be readable. */
const asPlace = process.platform === 'linux' ? 0o10000000 : constants.O_RDONLY
const flags = asPlace | constants.O_DIRECTORY | constants.O_NOFOLLOW

export class HeldDirectory implements Disposable {
  readonly #fd: number
  /** Null where the system names what is open. */
  readonly #realPath: Buffer | null
  readonly #path: Buffer

  /** Throws where it is none, or a link. */
  static hold(path: string | Buffer): HeldDirectory {
    return new HeldDirectory(Buffer.from(path))
  }

  private constructor(path: Buffer) {
    this.#fd = openSync(path, flags)
    const open = `/proc/self/fd/${this.#fd}`
    const isNamed = existsSync(open)
    this.#path = isNamed ? Buffer.from(open) : path
    this.#realPath = isNamed ? null : realpathSync(path, 'buffer')
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd)
  }

  /** The path of a name in it, bytes as latin1, for one call. Throws where the directory is another by now. */
  at(name: string): Buffer {
    if (this.#realPath) this.#mustBeInPlace(this.#realPath)
    return Buffer.concat([this.#path, Buffer.from('/'), Buffer.from(name, 'latin1')])
  }

  /** Holds a directory in it; null where there is none of that name. */
  enter(name: string): HeldDirectory | null {
    try {
      return new HeldDirectory(this.at(name))
    } catch (error) {
      if (isCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return null
      throw error
    }
  }

  #mustBeInPlace(realPath: Buffer): void {
    const [own, there] = [fstatSync(this.#fd), lstatSync(this.#path)]
    if (own.ino === there.ino && own.dev === there.dev && realpathSync(this.#path, 'buffer').equals(realPath))
      return
    throw Object.assign(new Error(`${this.#path} is another directory now`), { code: 'ENOTDIR' })
  }
}

/**
 * Does work in the directory of a path below `root`, with the last name of the path; null where one of its directories
 * is missing or none, unless it is to be made.
 */
export function inDirectoryOf<T>(
  root: HeldDirectory,
  path: string,
  work: (directory: HeldDirectory, name: string) => T,
  missing?: 'make it',
): T | null {
  const end = path.indexOf('/')
  if (end < 0) return work(root, path)
  const name = path.slice(0, end)
  if (missing) makeDirectory(root.at(name))
  using directory = root.enter(name)
  return directory && inDirectoryOf(directory, path.slice(end + 1), work, missing)
}

function makeDirectory(path: Buffer): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
}

export const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))
