/**
 * The seam between the store and a database: SQL in the subset that SQLite and PostgreSQL share goes in, rows come
 * out. Parameters are named (`:id`). Ids are compared bytewise, booleans are 0 and 1, text holds no NUL.
 */
export interface Engine {
  /** Reads what was committed last, by any process. */
  readonly reads: Queries
  /**
   * All or nothing, and one at a time across processes. The body makes only store calls: it must not wait for
   * anything else while others wait for it. Waiting for another writer never blocks the event loop.
   */
  transaction<T>(body: (queries: Queries) => Promise<T>, durability: Durability): Promise<T>
  /** Calls back soon after every commit, of this process and (within 100 ms) of others, until the returned function is called. */
  watch(listener: () => void): () => void
  close(): Promise<void>
}

/** `full` survives a power cut once it is acknowledged; `relaxed` may lose the last moments, never the order. */
export type Durability = 'full' | 'relaxed'

export type Value = string | number | null
export type Params = Readonly<Record<string, Value>>

export interface Queries {
  /** `Row` says what the statement selects: the one place where that is taken on trust is the statement itself. */
  all<Row>(sql: string, params?: Params): Promise<Row[]>
  get<Row>(sql: string, params?: Params): Promise<Row | undefined>
  /** How many rows it changed. */
  run(sql: string, params?: Params): Promise<number>
}
