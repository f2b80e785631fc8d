import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createOfflineDriver } from '../src/agents/offline/offline.ts'
import { storeFile } from '../src/store/open.ts'
import { newRepository } from '../src/workspace/testing/ground.ts'
import { turn } from './support/bough.ts'
import { ScriptedAgent, says } from './support/scripted-agent.ts'
import { problemIn, serveProject } from './support/served-project.ts'
import { connectForTest } from './support/server.ts'
import { StoreDigest } from './support/store-digest.ts'

describe('directories', () => {
  it('every route that is given one refuses what lies in no workspace, and does not repeat it', async () => {
    const { home, server, session, call } = await serveProject()
    const top = await realpath(await mkdtemp(join(tmpdir(), 'elsewhere-')))
    mkdirSync(join(top, 'secret'))
    mkdirSync(`${home.project}-evil`)
    symlinkSync(top, join(home.project, 'link'))
    mkdirSync(join(home.project, 'real'))
    symlinkSync(home.project, join(top, 'back'))
    const document = await call('GET', `/session/${session.id}/export`)
    const inQuery = (path: string, directory: string) => `${path}?directory=${encodeURIComponent(directory)}`
    const routes = {
      create: (directory: string) => call('POST', '/session', { directory }),
      openChannel: (directory: string) => call('POST', '/channel', { key: 'evil', directory }),
      undo: (directory: string) => call('POST', '/undo', { directory }),
      undoDry: (directory: string) => call('POST', '/undo', { directory, dryRun: true }),
      adoptable: (directory: string) => call('GET', inQuery('/import', directory)),
      importDocument: (directory: string) =>
        call('POST', inQuery('/import/document', directory), document.body),
      compareA: (directory: string) =>
        call('POST', '/files/compare', { a: { directory }, b: { sessionID: session.id } }),
      compareB: (directory: string) =>
        call('POST', '/files/compare', { a: { sessionID: session.id }, b: { directory } }),
    }
    const evil = [
      ...['/', '/etc', '/etc/passwd', '..', '../..', '.', '~', '~/secret', 'file:///etc', '\\etc'],
      ...[top, join(top, 'secret'), `${home.project}-evil`, dirname(home.project), home.data, home.config],
      ...[`${home.project}/..`, `${home.project}/../../etc`, `${home.project}/real/../../..`],
      ...[`${home.project}/link`, `${home.project}/link/secret`, `${join(top, 'back')}/../secret`],
      ...[`${home.project}\0`, `/etc\0${home.project}`, `${home.project}/\0/../../etc`],
      ...[home.project.replace('project', 'рroject'), `${home.project}／..`, `${home.project}\u2025`],
    ]
    const digest = StoreDigest.open(home.data)
    const before = digest.tables()
    for (const directory of evil)
      for (const [name, send] of Object.entries(routes)) {
        const answer = await send(directory)
        expect([name, directory, answer.status]).toEqual([name, directory, 403])
        expect(problemIn(answer).code).toBe('outside_workspaces')
        if (directory.length > 3) expect(answer.body).not.toContain(JSON.stringify(directory).slice(1, -1))
        expect(answer.body).not.toContain(top)
      }
    expect(digest.tables()).toEqual(before)
    digest.close()
    // A filter is no way in: nothing works there, so nothing is found.
    expect((await call('GET', inQuery('/session', '/etc'))).body).toBe('[]')
    expect((await routes.create(join(home.project, 'real'))).status).toBe(201)
    // One that could be there and is not is told by name, since it is the project's.
    for (const send of [routes.create, routes.compareA, routes.undo, routes.adoptable])
      expect(problemIn(await send(join(home.project, 'nothing'))).code).toBe('directory_gone')
    expect(server.faults).toEqual([])
  })

  it('what an agent keeps for a directory elsewhere is not adopted, and so opens none', async () => {
    const agent = new ScriptedAgent('script', () => says('done'))
    const { home, server, call } = await serveProject({
      bough: { drivers: [createOfflineDriver(), agent.driver] },
    })
    agent.sessions.set('kept', [])
    agent.directory = '/etc'
    const before = (await server.bough.sessions()).length
    const adopt = () => call('POST', '/import', { agent: 'script', nativeID: 'kept' })
    expect(problemIn(await adopt()).code).toBe('outside_workspaces')
    expect(problemIn(await call('POST', '/session', { directory: '/etc' })).code).toBe('outside_workspaces')
    expect(await server.bough.sessions()).toHaveLength(before)
    agent.directory = home.project
    expect((await adopt()).status).toBe(201)
  })

  it('a session whose directory has become a link opens no other', async () => {
    const { home, server, call } = await serveProject()
    const top = await realpath(await mkdtemp(join(tmpdir(), 'elsewhere-')))
    const sub = join(home.project, 'sub')
    mkdirSync(sub)
    expect((await call('POST', '/session', { directory: sub })).status).toBe(201)
    rmdirSync(sub)
    symlinkSync(top, sub)
    for (const directory of [sub, top, join(sub, 'x')])
      expect((await call('POST', '/session', { directory })).status).toBe(403)
    expect(server.faults).toEqual([])
  })
})

describe('git', () => {
  it("runs without the repository's hooks and without the caller's GIT_ variables", async () => {
    const marks = await mkdtemp(join(tmpdir(), 'marks-'))
    const { home, server, session, call } = await serveProject()
    const hooks = join(home.project, '.git', 'hooks')
    mkdirSync(hooks, { recursive: true })
    for (const name of [
      'post-checkout',
      'pre-commit',
      'post-commit',
      'post-index-change',
      'reference-transaction',
      'fsmonitor-watchman',
      'post-rewrite',
      'pre-auto-gc',
    ]) {
      writeFileSync(join(hooks, name), `#!/bin/sh\ntouch '${marks}/${name}'\n`)
      chmodSync(join(hooks, name), 0o755)
    }
    const other = await newRepository({ 'other.txt': 'other\n' })
    const variables = {
      GIT_DIR: join(other, '.git'),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: join(marks, 'index'),
      GIT_OBJECT_DIRECTORY: join(marks, 'objects'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.hooksPath',
      GIT_CONFIG_VALUE_0: hooks,
      GIT_EXTERNAL_DIFF: `touch ${marks}/diff`,
      GIT_SSH_COMMAND: `touch ${marks}/ssh`,
      GIT_TRACE: join(marks, 'trace'),
      GIT_EXEC_PATH: marks,
    }
    Object.assign(process.env, variables)
    onTestFinished(() => {
      for (const name of Object.keys(variables)) delete process.env[name]
    })
    await turn(server.bough, session.id, 'write b.txt b')
    const forked = await call('POST', `/session/${session.id}/fork`, { files: 'worktree', title: 'A fork' })
    expect([forked.status, forked.body]).toEqual([201, forked.body])
    const { directory } = JSON.parse(forked.body)
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('a\n')
    expect(existsSync(join(directory, 'other.txt'))).toBe(false)
    expect(
      (await call('GET', `/session/${session.id}/diff?against=${JSON.parse(forked.body).id}&files=true`))
        .status,
    ).toBe(200)
    expect(readdirSync(marks)).toEqual([])
  })
})

describe('what goes wrong', () => {
  it.each(['damaged', 'unwritable', 'gone'])(
    'a store that is %s while the server runs is told without where it is',
    async (how) => {
      const { home, server, session, call } = await serveProject()
      const file = storeFile(home.data)
      if (how === 'damaged') {
        // More than the connection has in memory: a table that it must read anew.
        const db = new DatabaseSync(file)
        db.exec(
          'PRAGMA writable_schema = ON; DROP TABLE IF EXISTS schedules; ALTER TABLE messages RENAME TO lost',
        )
        db.close()
      } else if (how === 'unwritable') {
        const db = new DatabaseSync(file)
        db.exec("CREATE TRIGGER no_more BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'no'); END")
        db.close()
      } else {
        for (const end of ['', '-wal', '-shm'])
          if (existsSync(file + end)) writeFileSync(file + end, 'garbage '.repeat(2000))
      }
      const answers = await Promise.all([
        call('GET', `/session/${session.id}/message`),
        call('POST', '/session', { directory: home.project }),
        call('GET', '/tree'),
        call('POST', `/session/${session.id}/message`, { text: 'hello' }),
        call('GET', '/routine'),
      ])
      const failed = answers.filter(({ status }) => status >= 500)
      expect(failed.length).toBeGreaterThan(0)
      for (const answer of failed) {
        problemIn(answer)
        expect(answer.body).not.toContain(home.data)
        expect(answer.body).not.toContain(dirname(home.data))
        expect(answer.body).not.toMatch(/SELECT|INSERT|sqlite/i)
      }
      expect((await call('GET', '/health')).status).toBe(200)
      expect(server.faults.length).toBeGreaterThan(0)
    },
  )

  it('agents are named without where their programs are, but for who borrows a session', async () => {
    const agent = new ScriptedAgent('script', () => says('done'))
    const program = '/opt/somewhere/deep/script'
    const driver = {
      ...agent.driver,
      check: async () => ({
        installed: true,
        ready: false,
        detail: `script 1.0, ${program}; not signed in`,
        fix: `Run ${program} /login`,
      }),
      native: agent.driver.native && {
        ...agent.driver.native,
        command: async (given: { readonly nativeID: string }) => ({
          command: [program, '--resume', given.nativeID] as const,
          nativeID: given.nativeID,
        }),
      },
    }
    const { home, server, call } = await serveProject({ bough: { drivers: [createOfflineDriver(), driver] } })
    const { id } = await server.bough.create({ directory: home.project, agent: 'script' })
    await turn(server.bough, id, 'hello')
    expect(JSON.parse((await call('GET', '/agent')).body).slice(1)).toEqual([
      {
        name: 'script',
        installed: true,
        ready: false,
        detail: 'script 1.0, script; not signed in',
        fix: 'Run script /login',
      },
    ])
    const typed = await call('GET', `/session/${id}/resume`)
    expect(JSON.parse(typed.body)).toEqual({
      command: ['script', '--resume', 'script-0'],
      directory: home.project,
    })
    const client = await connectForTest(server)
    expect(await client.lend(id, async ({ command }) => command[0])).toBe(program)
  })
})
