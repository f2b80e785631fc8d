import { closeSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeOwnDirectory } from '../../home.ts'
import { BoughError, hasCode } from '../../tree/error.ts'
import type { Durability, Engine, Queries } from '../engine.ts'
import { Connection } from './connection.ts'
import { migrations } from './migrations.ts'

/** How often other processes' commits are looked for. */
const watchInterval = 50

/**
 * SQLite through node:sqlite. Two connections: in WAL mode reads never wait for a writer, and a read of this process
 * never lands inside a transaction that it did not ask for. On a full or read-only disk it only reads, until a transaction
 * finds that it can write again.
 */
export class SqliteEngine implements Engine {
  readonly reads: Queries
  readonly #path: string
  #reader: Connection
  /** Why nothing can be written; null where it can. */
  #unwritable: unknown = null
  readonly #listeners = new Set<() => void>()
  #openWriter: Connection | null = null
  #durability: Durability | null = null
  #lastTransaction: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | null = null
  #dataVersion = -1

  static async open(path: string): Promise<SqliteEngine> {
    makeDirectory(dirname(path))
    makeFile(path)
    const engine = new SqliteEngine(path)
    try {
      await engine.#open()
    } catch (error) {
      await engine.close()
      throw error
    }
    return engine
  }

  private constructor(path: string) {
    this.#path = path
    this.#reader = new Connection(path)
    this.reads = {
      all: (sql, params) => this.#reader.all(sql, params),
      get: (sql, params) => this.#reader.get(sql, params),
      run: (sql, params) => this.#reader.run(sql, params),
    }
  }

  async #open(): Promise<void> {
    try {
      await this.#migrate()
      this.#unwritable = null
    } catch (error) {
      if (!hasCode(error, 'disk_full') && !hasCode(error, 'store_unwritable')) throw error
      this.#openWriter?.close()
      this.#openWriter = null
      this.#reader.close()
      this.#reader = await this.#openToRead(error)
      this.#unwritable = error
    }
  }

  // Throws what kept it from being opened as usual where it cannot be read either, or has an older schema.
  async #openToRead(failure: unknown): Promise<Connection> {
    const hasLog = (statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
    const reader = new Connection(this.#path, hasLog ? 'alone' : 'unchanging')
    const version = await this.#version(reader).catch(() => null)
    if (version === migrations.length) return reader
    reader.close()
    throw failure
  }

  async #mustBeWritable(): Promise<void> {
    if (this.#unwritable === null) return
    this.#reader.close()
    this.#reader = new Connection(this.#path)
    await this.#open()
    if (this.#unwritable !== null) throw this.#unwritable
  }

  transaction<T>(body: (queries: Queries) => Promise<T>, durability: Durability): Promise<T> {
    const result = this.#lastTransaction.then(() => this.#transact(body, durability))
    this.#lastTransaction = result.catch(() => {})
    return result
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener)
    this.#timer ??= setInterval(() => void this.#look(), watchInterval)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stopWatching()
    }
  }

  async close(): Promise<void> {
    this.#listeners.clear()
    this.#stopWatching()
    await this.#lastTransaction
    this.#openWriter?.close()
    this.#reader.close()
  }

  async #transact<T>(body: (queries: Queries) => Promise<T>, durability: Durability): Promise<T> {
    await this.#mustBeWritable()
    const writer = this.#writer()
    if (durability !== this.#durability) {
      await writer.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
      this.#durability = durability
    }
    // Immediate: a deferred transaction that reads first fails when it comes to write beside another writer.
    await writer.exec('BEGIN IMMEDIATE')
    try {
      const before = await changesOf(writer)
      const result = await body(writer)
      const changed = (await changesOf(writer)) !== before
      await writer.exec('COMMIT')
      if (changed) this.#notify()
      return result
    } catch (error) {
      // A full disk may have rolled it back already.
      if (writer.inTransaction) await writer.exec('ROLLBACK')
      throw error
    }
  }

  #writer(): Connection {
    this.#openWriter ??= new Connection(this.#path)
    return this.#openWriter
  }

  async #look(): Promise<void> {
    const row = await this.#reader.get<{ data_version: number }>('PRAGMA data_version').catch(() => null)
    if (row && row.data_version !== this.#dataVersion) {
      this.#dataVersion = row.data_version
      this.#notify()
    }
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }

  #stopWatching(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }

  // Most starts find the newest schema and take no lock at all.
  async #migrate(): Promise<void> {
    if ((await this.#version(this.#reader)) === migrations.length) return
    await this.#writer().exec('PRAGMA journal_mode = WAL')
    await this.transaction(async () => {
      const writer = this.#writer()
      for (const migration of migrations.slice(await this.#version(writer))) await writer.exec(migration)
      await writer.exec(`PRAGMA user_version = ${migrations.length}`)
    }, 'full')
  }

  async #version(connection: Connection): Promise<number> {
    const version = (await connection.get<{ user_version: number }>('PRAGMA user_version'))?.user_version ?? 0
    if (version > migrations.length) {
      throw new BoughError(
        'store_newer',
        `${this.#path} was written by a newer bough. Update this one to use it.`,
      )
    }
    return version
  }
}

// Who watches must not be woken by somebody who only looked: two of them would keep each other awake.
const changesOf = async (writer: Connection): Promise<number> =>
  (await writer.get<{ changes: number }>('SELECT total_changes() AS changes'))?.changes ?? 0

function makeDirectory(path: string): void {
  try {
    makeOwnDirectory(path)
  } catch (error) {
    throw new BoughError(
      'store_unwritable',
      `Cannot make the directory ${path}. Make its parent writable, or set BOUGH_HOME to another directory.`,
      { cause: error },
    )
  }
}

/** SQLite would make it readable for all, and a directory that was there before may let them in. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch {
    // It is there, or SQLite will say what is wrong.
  }
}
