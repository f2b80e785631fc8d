import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { Bough } from '../src/bough.ts'
import { storeFile } from '../src/store/open.ts'
import type { Session } from '../src/tree/session.ts'
import { openBundled } from './bundle.ts'
import { MadeUpTree } from './made-up-tree.ts'
import type { Group } from './row.ts'
import { settledSize } from './settled-size.ts'
import { interleave, Subject } from './subject.ts'

const rounds = 400
const manyForks = 1000

export const forking: Group = {
  name: 'fork',
  title: 'Fork at the head, files: same',
  async measure(directory) {
    const tiny = await ForkedSession.open(directory, 10)
    const small = await ForkedSession.open(directory, 1000)
    const large = await ForkedSession.open(directory, 10_000)
    const huge = await ForkedSession.open(directory, 100_000)
    const bare = new BareInsert(join(directory, 'bare.db'), await tiny.fork())
    await interleave([tiny.subject, small.subject, large.subject, huge.subject, bare.subject], rounds)
    const perFork = await bytesPerFork(huge)
    for (const session of [tiny, small, large, huge]) await session.close()
    bare.close()

    return [
      { kind: 'ratio', ...huge.subject.result, baseline: tiny.subject.result, limit: 1.5 },
      { kind: 'ratio', ...huge.subject.result, baseline: bare.subject.result, limit: 2 },
      { kind: 'ratio', ...tiny.subject.result, baseline: bare.subject.result, limit: 2 },
      { kind: 'fact', ...small.subject.result },
      { kind: 'fact', ...large.subject.result },
      { kind: 'bound', what: 'disk per fork', unit: 'bytes', measured: perFork, limit: 1024 },
    ]
  },
}

/** A store of its own with one session of a given length, and the bundle that forks it. */
class ForkedSession {
  readonly file: string
  readonly subject: Subject
  readonly #bough: Bough
  readonly #session: Session

  static async open(directory: string, messages: number): Promise<ForkedSession> {
    const home = join(directory, String(messages))
    const tree = await MadeUpTree.open(home)
    const { id } = await tree.session(messages)
    await tree.close()
    const bough = await openBundled(home)
    return new ForkedSession(home, bough, await bough.session(id))
  }

  private constructor(home: string, bough: Bough, session: Session) {
    this.file = storeFile(home)
    this.#bough = bough
    this.#session = session
    this.subject = new Subject(`fork, ${session.messages.toLocaleString('en')} messages`, () => this.fork())
  }

  fork(): Promise<Session> {
    return this.#bough.fork(this.#session.id, { files: 'same' })
  }

  close(): Promise<void> {
    return this.#bough.close()
  }
}

/** What a fork cannot be faster than: its row alone, as durable, in a table without further indexes. */
class BareInsert {
  readonly subject = new Subject('a bare row', () => this.#insert())
  readonly #db: DatabaseSync
  readonly #statement: StatementSync
  readonly #row: Record<string, SQLInputValue>
  #count = 0

  constructor(file: string, { parentID, forkPoint, title, agent, directory, kind, created }: Session) {
    this.#db = new DatabaseSync(file)
    this.#db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      CREATE TABLE sessions (
        id TEXT PRIMARY KEY, parent_id TEXT, fork_point TEXT, title TEXT, agent TEXT, directory TEXT, kind TEXT,
        created INTEGER, updated INTEGER
      ) STRICT`)
    this.#statement = this.#db.prepare(`
      INSERT INTO sessions VALUES
        (:id, :parentID, :forkPoint, :title, :agent, :directory, :kind, :created, :created)`)
    this.#row = { parentID, forkPoint, title, agent, directory, kind, created }
  }

  close(): void {
    this.#db.close()
  }

  #insert(): void {
    const id = `ses_${String(this.#count++).padStart(26, '0')}`
    this.#db.exec('BEGIN IMMEDIATE')
    this.#statement.run({ ...this.#row, id })
    this.#db.exec('COMMIT')
  }
}

async function bytesPerFork(session: ForkedSession): Promise<number> {
  const before = settledSize(session.file)
  for (let made = 0; made < manyForks; made++) await session.fork()
  return (settledSize(session.file) - before) / manyForks
}
