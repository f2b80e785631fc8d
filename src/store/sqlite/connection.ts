import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Params, Queries } from '../engine.ts'
import { isBusy, storeError } from './errors.ts'

/** How long one call may block the event loop while another process writes; then the wait goes on off the loop. */
const blockingWait = 20
const longestWait = 30_000

interface Prepared {
  readonly statement: StatementSync
  readonly columns: readonly string[]
}

/**
 * How a database is opened. SQLite writes beside the file even to read it: where the disk is full or nothing may be
 * written, it is read `unchanging`, which takes its log for empty, or `alone`, which keeps everybody else out.
 */
export type Opening = 'shared' | 'unchanging' | 'alone'

/** One SQLite connection with its prepared statements. */
export class Connection implements Queries {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #statements = new Map<string, Prepared>()

  constructor(path: string, opening: Opening = 'shared') {
    this.#path = path
    try {
      this.#db = new DatabaseSync(placeOf(path, opening), {
        timeout: blockingWait,
        readOnly: opening === 'unchanging',
      })
      if (opening === 'alone') this.#db.exec('PRAGMA locking_mode = EXCLUSIVE')
    } catch (error) {
      throw storeError(error, path)
    }
  }

  all<Row>(sql: string, params: Params = {}): Promise<Row[]> {
    return this.#retrying(() => {
      const { statement, columns } = this.#prepare(sql)
      return statement.all(params).map((values) => toRow(columns, values) as Row)
    })
  }

  get<Row>(sql: string, params: Params = {}): Promise<Row | undefined> {
    return this.#retrying(() => {
      const { statement, columns } = this.#prepare(sql)
      const values = statement.get(params)
      return values && (toRow(columns, values) as Row)
    })
  }

  run(sql: string, params: Params = {}): Promise<number> {
    return this.#retrying(() => Number(this.#prepare(sql).statement.run(params).changes))
  }

  /** For statements that are used once: schema, pragmas, begin and commit. */
  exec(sql: string): Promise<void> {
    return this.#retrying(() => this.#db.exec(sql))
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction
  }

  close(): void {
    this.#statements.clear()
    if (this.#db.isOpen) this.#db.close()
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#statements.get(sql)
    if (!prepared) {
      const statement = this.#db.prepare(sql)
      statement.setReturnArrays(true)
      prepared = { statement, columns: statement.columns().map(({ name }) => name) }
      this.#statements.set(sql, prepared)
    }
    return prepared
  }

  // Inside a transaction nothing can be busy: it holds the write lock from its first statement on.
  async #retrying<T>(work: () => T): Promise<T> {
    for (let waited = 0; ; ) {
      try {
        return work()
      } catch (error) {
        if (!isBusy(error) || waited >= longestWait) throw storeError(error, this.#path)
      }
      const wait = 5 + Math.random() * blockingWait
      await pause(wait)
      waited += wait + blockingWait
    }
  }
}

function placeOf(path: string, opening: Opening): string | URL {
  if (opening !== 'unchanging') return path
  const url = pathToFileURL(path)
  url.search = 'immutable=1'
  return url
}

// Rows come as lists of values: the objects that node:sqlite makes take twice as long to make and are slow to use.
function toRow(columns: readonly string[], values: Record<string, SQLOutputValue>): object {
  const row: Record<string, SQLOutputValue | undefined> = {}
  for (let i = 0; i < columns.length; i++) row[columns[i] ?? ''] = values[i]
  return row
}
