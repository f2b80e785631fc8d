import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { storeFile } from '../../src/store/open.ts'

/** Who holds what just now: it moves on by itself, and so do the events that tell of it. */
const restless = new Set(['owners', 'processes', 'duties'])

/** A look at everything that a store keeps. */
export class StoreDigest {
  readonly #db: DatabaseSync

  static open(data: string): StoreDigest {
    return new StoreDigest(new DatabaseSync(storeFile(data), { readOnly: true, timeout: 5_000 }))
  }

  private constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Of each table; the same when nothing was changed. */
  tables(): Readonly<Record<string, string>> {
    const names = this.#db
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .all()
      .map(({ name }) => String(name))
    return Object.fromEntries(
      names.filter((name) => !restless.has(name)).map((name) => [name, this.#digest(name)]),
    )
  }

  /** Changes whenever anybody has written, also what is restless. */
  version(): number {
    return Number(this.#db.prepare('PRAGMA data_version').get()?.data_version)
  }

  close(): void {
    this.#db.close()
  }

  #digest(table: string): string {
    const which = table === 'events' ? "WHERE kind NOT IN ('owner.changed', 'request.made')" : ''
    const rows = this.#db.prepare(`SELECT * FROM "${table}" ${which}`).all()
    const lines = rows.map((row) => JSON.stringify(row)).toSorted()
    return `${rows.length} rows, ${createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)}`
  }
}
