import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileOf, isInstalled, opencode, platformAndLibc } from '../scripts/install-peers.ts'
import { noWayOut } from '../test/support/server-sent.ts'
import { type Program, withServer } from './server-process.ts'
import { settledSize } from './settled-size.ts'
import { words } from './words.ts'

const program = fileOf(opencode, `opencode-${platformAndLibc}`, 'bin', 'opencode')

/** Where its sessions work, and its settings, where they matter. */
export interface OpencodeSetUp {
  readonly project?: string
  readonly config?: object
}

/**
 * The server of opencode, in a home of its own, with no way to the network. One message is put in through its API; more are
 * copies of the rows that it made of that one, written while it does not run: that needs no model, and no hours.
 */
export class OpencodeServer {
  readonly program: Program
  readonly #database: string

  /** Null where it is not installed. It has run once: the first start makes its database. */
  static async installed(directory: string, setUp: OpencodeSetUp = {}): Promise<OpencodeServer | null> {
    if (!isInstalled(opencode)) return null
    const home = join(directory, 'opencode')
    await mkdir(home, { recursive: true })
    const server = new OpencodeServer(home, await freePort(), setUp)
    await withServer(server.program, async () => {})
    return server
  }

  private constructor(
    home: string,
    port: number,
    { project = join(home, 'project'), config = {} }: OpencodeSetUp,
  ) {
    this.#database = join(home, 'data', 'opencode', 'opencode.db')
    this.program = {
      command: program,
      args: ['serve', '--hostname', '127.0.0.1', '--port', String(port)],
      env: { ...isolated(home), OPENCODE_CONFIG_CONTENT: JSON.stringify(config) },
      cwd: project,
      listens: /listening on (\S+)\n/,
      health: '/global/health',
      headers: {},
    }
  }

  /** A session with so many messages. */
  async session(messages: number): Promise<string> {
    const id = await withServer(this.program, async (server) => {
      const { id } = await server.make('/session', {})
      const model = { providerID: 'none', modelID: 'none' }
      const parts = [{ type: 'text', text: words }]
      await server.ask('POST', `/session/${id}/message`, { noReply: true, model, parts })
      return id
    })
    this.#write((db) => {
      // Ids are in the order of time: the copies come after the one.
      db.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO message SELECT substr(id, 1, 20) || printf('z%09d', i), session_id, time_created + i, time_updated + i, data
         FROM message, n WHERE i > 0 AND session_id = ?`,
      ).run(messages - 1, id)
      db.prepare(
        `INSERT INTO part SELECT replace(m.id, 'msg_', 'prt_'), m.id, m.session_id, m.time_created, m.time_updated, p.data
         FROM message m, part p WHERE m.session_id = :id AND p.session_id = :id AND m.id <> p.message_id`,
      ).run({ id })
      const { count } = db.prepare('SELECT count(*) AS count FROM part WHERE session_id = ?').get(id) ?? {}
      if (count !== messages) throw new Error(`The session has ${count} messages, not ${messages}.`)
    })
    return id
  }

  /** So many sessions, each with one message. */
  async sessions(count: number): Promise<void> {
    const id = await this.session(1)
    this.#write((db) => {
      const columns = db.prepare("SELECT name FROM pragma_table_info('session')").all()
      const values = columns.map(({ name }) =>
        name === 'id' ? "substr(id, 1, 20) || printf('z%09d', i)" : String(name),
      )
      db.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO session SELECT ${values.join(', ')} FROM session, n WHERE i > 0 AND id = ?`,
      ).run(count - 1, id)
    })
  }

  /** Bytes of all that it keeps of sessions. */
  size(): number {
    return settledSize(this.#database)
  }

  #write(work: (db: DatabaseSync) => void): void {
    const db = new DatabaseSync(this.#database)
    try {
      work(db)
    } finally {
      db.close()
    }
  }
}

/** A home of its own; and whatever it would fetch goes to a proxy that is not there. */
function isolated(home: string): NodeJS.ProcessEnv {
  return {
    ...noWayOut('http://127.0.0.1:9'),
    PATH: process.env.PATH,
    HOME: home,
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CACHE_HOME: join(home, 'cache'),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        typeof address === 'object' && address
          ? resolve(address.port)
          : reject(new Error('There is no port.')),
      )
    })
  })
}
