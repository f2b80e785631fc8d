import { createHash } from 'node:crypto'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { makeOwnDirectory } from './home.ts'
import { readTextIfThere } from './read-regular-file.ts'

/** What a person has trusted, as this machine keeps it. */
export interface TrustRecord {
  /** The git directory of a repository, or a directory without git. */
  readonly name: string
  /** What the person saw as its place. */
  readonly root: string
  readonly granted: number
  /** Hashes of the parts that they have approved. */
  readonly parts: readonly string[]
}

const stored = z.object({
  name: z.string(),
  root: z.string(),
  granted: z.number(),
  parts: z.array(z.string()),
})

/**
 * One file for each trusted directory, in a directory of this machine. Processes never write into each other's work: a file
 * is replaced as a whole.
 */
export class TrustRecords {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  get(name: string): TrustRecord | null {
    return this.#read(this.#pathOf(name))
  }

  async all(): Promise<readonly TrustRecord[]> {
    const names = await readdir(this.#directory).catch(() => [])
    const records = names
      .filter((name) => name.endsWith('.json'))
      .map((name) => this.#read(join(this.#directory, name)))
    return records.filter((record) => record !== null).toSorted((a, b) => (a.root < b.root ? -1 : 1))
  }

  async put(record: TrustRecord): Promise<void> {
    makeOwnDirectory(this.#directory)
    const path = this.#pathOf(record.name)
    const draft = `${path}.${process.pid}.${crypto.randomUUID()}`
    await writeFile(draft, JSON.stringify(record), { mode: 0o600, flag: 'wx' })
    await rename(draft, path)
  }

  remove(name: string): Promise<void> {
    return rm(this.#pathOf(name), { force: true })
  }

  /** A file that makes no sense trusts nothing. */
  #read(path: string): TrustRecord | null {
    const text = readTextIfThere(path)
    if (text === null) return null
    try {
      return stored.parse(JSON.parse(text))
    } catch {
      return null
    }
  }

  #pathOf(name: string): string {
    return join(this.#directory, `${createHash('sha256').update(name).digest('hex').slice(0, 32)}.json`)
  }
}
