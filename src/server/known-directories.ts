import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Bough } from '../bough.ts'
import { BoughError } from '../tree/error.ts'

/** The directories that a request may name: those that sessions work in, those that the server was started for, and all below. */
export class KnownDirectories {
  readonly #bough: Bough
  readonly #roots: readonly string[]

  /** What the roots lead to is looked at once: whoever can write in them cannot have them lead elsewhere later. */
  static async open(bough: Bough, roots: readonly string[]): Promise<KnownDirectories> {
    const led = await Promise.all(roots.map((root) => whereItLeads(root)))
    return new KnownDirectories(
      bough,
      led.filter((root) => root !== null),
    )
  }

  private constructor(bough: Bough, roots: readonly string[]) {
    this.#bough = bough
    this.#roots = roots
  }

  /** Where a path leads, without links; where none is named, the first that the server was started for. Throws where that is elsewhere. */
  async admit(path = this.#roots[0] ?? ''): Promise<string> {
    const target = isAbsolute(path) && !path.includes('\0') ? await whereItLeads(resolve(path)) : null
    if (target !== null && (await this.isKnown(target))) return target
    throw new BoughError(
      'outside_workspaces',
      'No session works in that directory, and the server was not started for it. Name it by its whole path; start the server there, or with --workspace DIR.',
    )
  }

  /**
   * Whether a path lies in one of them, as it is written. One without links cannot lie in a directory that has become a
   * link meanwhile.
   */
  async isKnown(path: string): Promise<boolean> {
    const isAbove = (root: string) => isWithin(root, path)
    return this.#roots.some(isAbove) || (await this.#ofSessions()).some(isAbove)
  }

  /** All of them, as far as the store can be read. */
  async all(): Promise<readonly string[]> {
    return [...this.#roots, ...(await this.#ofSessions().catch(() => []))]
  }

  async #ofSessions(): Promise<readonly string[]> {
    return (await this.#bough.workspaces()).map(({ directory }) => directory)
  }
}

// What is not there yet is where its directory is; null for what leads nowhere that can be told.
async function whereItLeads(path: string): Promise<string | null> {
  try {
    return await realpath(path)
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    const parent = dirname(path)
    // A link whose target is missing may lead anywhere once that is there.
    if (!isMissing || parent === path || (await lstat(path).catch(() => null))) return null
    const above = await whereItLeads(parent)
    return above === null ? null : join(above, basename(path))
  }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}
