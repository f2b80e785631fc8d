import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import type { Params, Queries } from '../engine.ts'
import { eventTable } from '../events.ts'
import { openStore, storeFile } from '../open.ts'
import { describeStore } from '../store.contract.ts'
import { turnTable } from '../turns.ts'
import { SqliteEngine } from './engine.ts'
import { migrations } from './migrations.ts'

const temporary = () => mkdtemp(join(tmpdir(), 'store-'))

describeStore('SQLite', async () => {
  const directory = await temporary()
  return {
    open: (clock) => openStore(directory, clock),
    remove: () => rm(directory, { recursive: true }),
  }
})

it('a database file of a newer bough is refused and left as it is', async () => {
  const directory = await temporary()
  const db = new DatabaseSync(storeFile(directory))
  db.exec(`PRAGMA user_version = ${migrations.length + 1}`)
  db.close()
  await expect(openStore(directory, Date.now)).rejects.toMatchObject({ code: 'store_newer' })
})

it('a file that is no database is refused with what to do about it', async () => {
  const directory = await temporary()
  await writeFile(storeFile(directory), 'this is not a database, it is a letter to a friend. '.repeat(100))
  await expect(openStore(directory, Date.now)).rejects.toMatchObject({
    code: 'store_damaged',
    message: expect.stringContaining('Move it away'),
  })
})

it('only its owner can read the database, also in a directory that others may look into', async () => {
  const directory = await temporary()
  await chmod(directory, 0o755)
  const store = await openStore(directory, Date.now)
  onTestFinished(() => store.close())
  const files = await readdir(directory)
  expect(files).toContain('bough.db')
  for (const file of files) expect((await stat(join(directory, file))).mode & 0o777, file).toBe(0o600)
})

it('the database is in WAL mode, so that readers never wait for a writer', async () => {
  const directory = await temporary()
  const store = await openStore(directory, Date.now)
  await store.close()
  const db = new DatabaseSync(storeFile(directory))
  expect({ ...db.prepare('PRAGMA journal_mode').get() }).toEqual({ journal_mode: 'wal' })
  db.close()
})

it('what is asked at every commit and in every turn takes no longer when much has happened', async () => {
  const directory = await temporary()
  const engine = await SqliteEngine.open(storeFile(directory))
  onTestFinished(() => engine.close())
  const read: string[] = []
  const explain = async (sql: string, params?: Params) => {
    const plan = await engine.reads.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params)
    read.push(...plan.map(({ detail }) => detail))
  }
  const explained: Queries = {
    all: (sql, params) => explain(sql, params).then(() => engine.reads.all(sql, params)),
    get: (sql, params) => explain(sql, params).then(() => engine.reads.get(sql, params)),
    run: () => Promise.reject(new Error('only reading')),
  }
  await eventTable(explained).bounds()
  await turnTable(explained).since(0)
  await turnTable(explained).left()
  const whole = read.filter((step) => /^SCAN (events|turns|t)\b/.test(step))
  // That index has only turns that run.
  expect(whole.filter((step) => !step.endsWith('USING INDEX turns_running'))).toEqual([])
})

it('a store of an earlier version is brought up to date: what lines had cost is summed up', async () => {
  const directory = await temporary()
  const db = new DatabaseSync(storeFile(directory))
  for (const migration of migrations.slice(0, 3)) db.exec(migration)
  db.exec('PRAGMA user_version = 3')
  const session = db.prepare(
    `INSERT INTO sessions (id, fork_point, title, titled, agent, directory, kind, labels, created, updated)
     VALUES (?, ?, '', 1, 'claude', '/', 'branch', '[]', 0, 0)`,
  )
  const message = db.prepare(
    `INSERT INTO messages (id, session_id, seq, role, status, input_tokens, output_tokens, cache_read_tokens,
                           cache_write_tokens, cost_usd, created, parts)
     VALUES (?, ?, ?, 'assistant', 'complete', ?, ?, ?, ?, ?, 0, '[]')`,
  )
  const forks = [
    ['ses_a', null],
    ['ses_b', 'msg_a2'],
    ['ses_c', 'msg_b1'],
    ['ses_d', 'msg_a1'],
  ] as const
  for (const [id, point] of forks) {
    session.run(id, point)
    for (const seq of [1, 2, 3])
      message.run(
        `msg_${id.slice(4)}${seq}`,
        id,
        seq,
        ...(seq === 1 ? [1, 2, 3, 4, 0.5] : seq === 2 ? [null, null, null, null, null] : [10, 20, 30, 40, 5]),
      )
  }
  db.close()
  const store = await openStore(directory, () => 0)
  onTestFinished(() => store.close())
  const costs = await Promise.all(
    forks.map(async ([id]) => {
      const cost = (await store.sessions.get(id))?.cost
      return [cost?.own, cost?.inherited].map((usage) => (usage ? Object.values(usage) : null))
    }),
  )
  const own = [11, 22, 33, 44, 5.5]
  const nothing = [0, 0, 0, 0, 0]
  const once = [1, 2, 3, 4, 0.5]
  expect(costs).toEqual([
    [own, nothing],
    [own, once],
    [own, [2, 4, 6, 8, 1]],
    [own, once],
  ])
})

it('a store whose events do not name their channel yet forgets them: whoever has read them loads afresh', async () => {
  const directory = await temporary()
  const db = new DatabaseSync(storeFile(directory))
  const before = migrations.findIndex((migration) => migration.includes('DELETE FROM events'))
  for (const migration of migrations.slice(0, before)) db.exec(migration)
  db.exec(`PRAGMA user_version = ${before}`)
  db.exec(
    `INSERT INTO events (at, kind, session_id) VALUES (0, 'fork.entered', 'ses_a'), (0, 'main.moved', 'ses_a')`,
  )
  db.close()
  const store = await openStore(directory, () => 0)
  onTestFinished(() => store.close())
  const stop = new AbortController()
  for await (const event of store.follow({ after: 1, signal: stop.signal })) {
    expect(event).toMatchObject({ kind: 'reset' })
    break
  }
  stop.abort()
  expect(await store.events.after(0, 10)).toEqual([])
})

it('an old approval for a session, which covered all that a tool does, covers nothing more', async () => {
  const directory = await temporary()
  const db = new DatabaseSync(storeFile(directory))
  const before = migrations.findIndex((migration) => migration.includes('COLUMN offers'))
  for (const migration of migrations.slice(0, before)) db.exec(migration)
  db.exec(`PRAGMA user_version = ${before};
    INSERT INTO permissions (id, session_id, turn_id, tool, detail, state, scope, asked)
      VALUES ('per_1', 'ses_1', 'trn_1', 'run', 'ls', 'allowed', 'session', 1),
             ('per_2', 'ses_1', 'trn_1', 'run', 'ls', 'asked', 'call', 1)`)
  db.close()
  const store = await openStore(directory, () => 0)
  onTestFinished(() => store.close())
  expect(await store.permissions.grants('ses_1')).toEqual([])
  expect(await store.permissions.asked()).toMatchObject([
    { id: 'per_2', offers: [{ scope: 'call', rule: null }] },
  ])
})
