import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClaudeDriver } from '../src/agents/claude/claude.ts'
import { createCodexDriver } from '../src/agents/codex/codex.ts'
import { createOfflineDriver } from '../src/agents/offline/offline.ts'
import { worktreesOf } from '../src/workspace/worktree/worktrees-of.ts'
import { turn } from './support/bough.ts'
import { idIn, type Operation, operationsOf, pathWith, type Schema } from './support/operations.ts'
import { problemIn, serveProject } from './support/served-project.ts'
import { count } from './support/size.ts'
import { StoreDigest } from './support/store-digest.ts'

describe('ids', () => {
  const evilIDs = [
    ...[';id', '$(touch PWNED)', '`touch PWNED`', '|id', '&&id', "'; DROP TABLE sessions; --", '" OR 1=1'],
    ...['--upload-pack=touch PWNED', '-c', '--help', '-', '..', '../../etc/passwd', '.', '/etc/passwd'],
    ...[
      '\n',
      'ses_\n',
      '\0',
      'a\0b',
      '%2e%2e%2f',
      '%00',
      '*',
      '?',
      '[a-z]',
      '{}',
      '{id}',
      'HEAD',
      'refs/heads/main',
    ],
    ...['__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN', '-1', '1e99'],
    ...[
      'ѕes_01kc0000000000000000000000',
      'SES_01KC0000000000000000000000',
      'ses_01kc000000000000000000000',
      'x'.repeat(3000),
    ],
    ...[
      'ses_01kc0000000000000000000000\n',
      'ses_01kc00000000000000000000$(',
      'ses_../../../../../../../../../etc',
    ],
  ]

  /** The least that fits a schema, with known ids. */
  function least(
    schema: Schema,
    schemas: Readonly<Record<string, Schema>>,
    ids: Readonly<Record<string, string>>,
  ): unknown {
    const id = idIn(schema)
    if (id) return ids[id]
    if (schema.$ref) return least(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas, ids)
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return schema.enum[0]
    if (schema.anyOf?.[0]) return least(schema.anyOf[0], schemas, ids)
    switch (schema.type) {
      case 'object':
        return Object.fromEntries(
          (schema.required ?? []).map((name) => [name, least(schema.properties?.[name] ?? {}, schemas, ids)]),
        )
      case 'boolean':
        return true
      case 'integer':
      case 'number':
        return schema.minimum ?? 1
      case 'array':
        return []
      default:
        return 'x'
    }
  }

  /** The fields of a body that are ids, also those in a choice of objects. */
  function idsIn(schema: Schema, at: readonly string[] = []): (readonly string[])[] {
    if (idIn(schema) && at.length > 0) return [at]
    const below = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
      idsIn(each, [...at, name]),
    )
    return [...below, ...(schema.anyOf ?? []).flatMap((each) => idsIn(each, at))]
  }

  function withField(value: unknown, [name, ...more]: readonly string[], field: unknown): unknown {
    if (name === undefined) return field
    const object = typeof value === 'object' && value !== null && more.length === 0 ? value : {}
    const inner =
      typeof value === 'object' && value !== null
        ? Object.entries(value).find(([key]) => key === name)?.[1]
        : {}
    return {
      ...(more.length > 0 && typeof value === 'object' ? value : object),
      [name]: withField(inner, more, field),
    }
  }

  it('that mean something to a shell, to git, to paths or to SQL are refused in every field of every route', async () => {
    const gitLog = join(await mkdtemp(join(tmpdir(), 'git-')), 'log')
    watchGit(gitLog)
    const { home, server, session, call } = await serveProject()
    await turn(server.bough, session.id, 'hello')
    const channel = await server.bough.channelOf(session.id)
    const message = (await server.bough.messages(session.id))[0]
    const ids: Readonly<Record<string, string>> = {
      SessionID: session.id,
      ChannelID: channel.id,
      MessageID: message?.id ?? '',
      TurnID: 'trn_01kc0000000000000000000000',
      SnapshotID: 'snp_01kc0000000000000000000000',
      ScheduleID: 'sch_01kc0000000000000000000000',
      PermissionID: 'per_01kc0000000000000000000000',
      InquiryID: 'inq_01kc0000000000000000000000',
    }
    const { operations, schemas } = await operationsOf(server)
    const digest = StoreDigest.open(home.data)
    const before = digest.tables()
    writeFileSync(gitLog, '')
    let asked = 0
    const fields = new Set<string>()
    const expectRefused = async (operation: Operation, field: string, path: string, body: unknown) => {
      fields.add(`${operation.name}.${field}`)
      asked++
      const answer = await call(operation.method, path, body ?? undefined)
      expect([operation.name, field, path.slice(0, 300), [400, 404, 405].includes(answer.status)]).toEqual([
        operation.name,
        field,
        path.slice(0, 300),
        true,
      ])
      problemIn(answer)
    }
    const closed = operations.filter(({ name }) => name !== 'health' && name !== 'signIn')
    for (const [turnOf, operation] of closed.entries()) {
      const body = operation.body && least(operation.body, schemas, ids)
      const inPath = operation.parameters.filter((each) => each.in === 'path')
      const inQuery = operation.parameters.filter(
        (each) => each.in === 'query' && (idIn(each.schema) || /^(id|message)$/.test(each.name)),
      )
      const known = Object.fromEntries(
        inPath.map(({ name, schema }) => [name, ids[idIn(schema) ?? ''] ?? 'x']),
      )
      // In the reduced size each route has its turn with some of them.
      const some = evilIDs.filter((_, i) => (i + turnOf) % count(1, 4) === 0)
      const refusals = some.map(async (evil) => {
        const encoded = encodeURIComponent(evil)
        // Dots alone are another path, wherever they stand.
        for (const { name } of /^\.+$/.test(evil) ? [] : inPath) {
          await expectRefused(operation, name, pathWith(operation.path, { ...known, [name]: encoded }), body)
        }
        const required = operation.parameters
          .filter(
            (each) =>
              each.in === 'query' &&
              (each.name === 'against' || each.name === 'id' || each.name === 'message'),
          )
          .map(({ name, schema }) => `${name}=${idIn(schema) ? session.id : 'x'}`)
        for (const { name } of inQuery) {
          const query = [
            ...required.filter((each) => !each.startsWith(`${name}=`)),
            `${name}=${encoded}`,
          ].join('&')
          await expectRefused(operation, name, `${pathWith(operation.path, known)}?${query}`, body)
        }
        for (const at of operation.body ? idsIn(operation.body) : [])
          await expectRefused(
            operation,
            at.join('.'),
            pathWith(operation.path, known),
            withField(body, at, evil),
          )
      })
      await Promise.all(refusals)
    }
    expect(fields.size).toBeGreaterThan(60)
    expect(asked).toBeGreaterThan(count(2_000, 500))
    expect(digest.tables()).toEqual(before)
    digest.close()
    expect(readFileSync(gitLog, 'utf8')).toBe('')
    expect(existsSync(join(home.project, 'PWNED')) || existsSync('PWNED')).toBe(false)
    expect(server.faults).toEqual([])
  })

  it('of other kinds, and of things that are not there, are not found', async () => {
    const { call, session } = await serveProject()
    expect((await call('GET', `/channel/${session.id}`)).status).toBe(400)
    expect((await call('GET', '/session/ses_01kc0000000000000000000000')).status).toBe(404)
    expect((await call('GET', `/session/${session.id}%2F..%2F${session.id}`)).status).toBe(400)
    expect((await call('GET', `/session/${session.id}/../../session/${session.id}`)).status).toBe(200)
  })

  it("agents' own ids do not lead to other files", async () => {
    const { call } = await serveProject({
      bough: {
        drivers: [
          createOfflineDriver(),
          createClaudeDriver({ executable: null }),
          createCodexDriver({ executable: null, mcpCommand: ['false'], worktreesOf }),
        ],
      },
    })
    mkdirSync(process.env.CODEX_HOME ?? '', { recursive: true })
    for (const agent of ['claude', 'codex', 'offline', 'nobody', '../claude'])
      for (const nativeID of ['../../../etc/passwd', '/etc/passwd', '--help', '$(id)', 'x\0y', '\n']) {
        const answer = await call('POST', '/import', { agent, nativeID })
        expect([agent, nativeID, answer.status, answer.status < 500]).toEqual([
          agent,
          nativeID,
          answer.status,
          true,
        ])
        problemIn(answer)
        expect(answer.body).not.toContain('root:')
      }
  })
})

/** Puts a git before the real one that notes how it is called. */
function watchGit(log: string): void {
  const directory = dirname(log)
  const real = (process.env.PATH ?? '')
    .split(':')
    .map((each) => join(each, 'git'))
    .find((path) => existsSync(path))
  writeFileSync(join(directory, 'git'), `#!/bin/sh\nprintf '%s\\n' "$*" >>'${log}'\nexec '${real}' "$@"\n`)
  chmodSync(join(directory, 'git'), 0o755)
  const before = process.env.PATH
  process.env.PATH = `${directory}:${before}`
  onTestFinished(() => {
    process.env.PATH = before
  })
}
