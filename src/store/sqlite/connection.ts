import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { Params, Queries } from '../engine.ts'
import { isBusy, storeError } from './errors.ts'

/** How long one call may block the event loop while another process writes; then the wait goes on off the loop. */
const blockingWait = 20
const longestWait = 30_000

/** One SQLite connection with its prepared statements. */
export class Connection implements Queries {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #statements = new Map<string, StatementSync>()

  constructor(path: string) {
    this.#path = path
    try {
      this.#db = new DatabaseSync(path, { timeout: blockingWait })
    } catch (error) {
      throw storeError(error, path)
    }
  }

  all<Row>(sql: string, params: Params = {}): Promise<Row[]> {
    return this.#retrying(() => this.#prepare(sql).all(params) as Row[])
  }

  get<Row>(sql: string, params: Params = {}): Promise<Row | undefined> {
    return this.#retrying(() => this.#prepare(sql).get(params) as Row | undefined)
  }

  run(sql: string, params: Params = {}): Promise<number> {
    return this.#retrying(() => Number(this.#prepare(sql).run(params).changes))
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

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#db.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
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
