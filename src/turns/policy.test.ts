import { mkdir, mkdtemp, realpath, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { PermissionRequest } from '../agents/driver.ts'
import { judgeFile } from './file-access.ts'
import { decide, isNamedBy, type JudgedFile, type Policy } from './policy.ts'

const run = (detail: string): PermissionRequest => ({ tool: 'run', action: 'run', detail })
const write: PermissionRequest = { tool: 'write', action: 'write', detail: '/p/a.txt', path: '/p/a.txt' }
const read: PermissionRequest = { ...write, tool: 'read', action: 'read' }
const policy = (allow: string[], deny: string[]): Policy => ({ allow, deny, timeout: 1000 })

const at = { realPath: '/p/a.txt', directory: '/p', home: '/h', isProtected: false }
const inside: JudgedFile = { ...at, access: 'free', reason: 'inside' }
const outside: JudgedFile = { ...at, access: 'asked', reason: 'outside' }
const guarded: JudgedFile = { ...at, access: 'asked', reason: 'protected', isProtected: true }
const ownData: JudgedFile = { ...at, access: 'never', reason: 'own-data', isProtected: true }

it('permission to write inside the session’s directory is granted by default, run asks', async () => {
  expect(await decide(policy([], []), write, inside)).toBe('allow')
  expect(await decide(policy([], []), write, outside)).toBe('ask')
  expect(await decide(policy([], []), run('ls'), null)).toBe('ask')
})

it('the deny list wins over the allow list, and both over asking', async () => {
  expect(await decide(policy(['run'], []), run('ls'), null)).toBe('allow')
  expect(await decide(policy(['run'], ['run(rm *)']), run('rm -rf /'), null)).toBe('deny')
  expect(await decide(policy([], ['write']), write, inside)).toBe('deny')
})

it('a rule matches a tool, a beginning or an exact detail, and nothing more', async () => {
  const rules = policy(['run(git status*)', 'run(ls)'], [])
  expect(await decide(rules, run('git status -s'), null)).toBe('allow')
  expect(await decide(rules, run('git push'), null)).toBe('ask')
  expect(await decide(rules, run('ls'), null)).toBe('allow')
  expect(await decide(rules, run('ls -l'), null)).toBe('ask')
  expect(await decide(policy(['ru'], []), run('ls'), null)).toBe('ask')
})

it.each([
  'git status; rm -rf ~',
  'git status && x',
  'git status | sh',
  'git status $(x)',
  'git status > f',
  'git status\nx',
])('a rule for a beginning does not allow %j, which holds more than one command', async (command) => {
  expect(await decide(policy(['run(git status*)'], []), run(command), null)).toBe('ask')
  expect(await decide(policy([], ['run(git status*)']), run(command), null)).toBe('deny')
  expect(await decide(policy(['run'], []), run(command), null)).toBe('allow')
})

it('bough’s own data is denied to file tools, whatever the allow list says', async () => {
  expect(await decide(policy(['write'], []), write, ownData)).toBe('deny')
})

it('a protected file is asked each time, unless a rule names the tool or just this file', async () => {
  expect(await decide(policy([], []), write, guarded)).toBe('ask-each-time')
  expect(await decide(policy(['write(/p/*)'], []), write, guarded)).toBe('ask-each-time')
  expect(await decide(policy(['write(/p/a.txt)'], []), write, guarded)).toBe('allow')
  expect(await decide(policy(['write'], []), write, guarded)).toBe('allow')
})

it('what a person decides each time is asked each time', async () => {
  expect(await decide(policy([], []), { ...run('x'), eachTime: true }, null)).toBe('ask-each-time')
})

describe('a rule with a path', () => {
  let root: string
  let home: string
  let directory: string

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'rules-')))
    home = join(root, 'home')
    directory = join(root, 'project')
    for (const name of ['home', 'project/out', 'secret', 'target'])
      await mkdir(join(root, name), { recursive: true })
    await symlink(join(root, 'target'), join(directory, 'out', 'link'))
    await symlink(join(root, 'secret'), join(directory, 'peek'))
    await symlink(directory, join(root, 'way'))
  })

  const about = async (request: PermissionRequest, path: string, session = directory) => {
    const limits = { ownData: [], homes: [home], protected: [] }
    const found = await judgeFile({ ...request, path }, session, limits)
    return { request: { ...request, path, detail: path }, file: { ...found, directory: session, home } }
  }

  const allows = async (rule: string, path: string, request = write) => {
    const { request: asked, file } = await about(request, path)
    return isNamedBy([rule], asked, file)
  }

  const decisionFor = async (deny: string, path: string, request = read, session = directory) => {
    const { request: asked, file } = await about(request, path, session)
    return decide(policy([], [deny]), asked, file)
  }

  it('allows no file to which a link leads out of its directory', async () => {
    const rule = `write(${directory}/out/*)`
    expect(await allows(rule, join(directory, 'out', 'a.txt'))).toBe(true)
    expect(await allows(rule, join(directory, 'out', 'link', 'a.txt'))).toBe(false)
    expect(await allows(rule, join(root, 'way', 'out', 'a.txt'))).toBe(true)
  })

  it('allows nothing through a link in its own path', async () => {
    expect(await allows(`write(${directory}/out/link/*)`, join(root, 'target', 'a.txt'))).toBe(false)
  })

  it('is normalised, as the path is', async () => {
    const path = join(root, 'home', 'notes', 'a.txt')
    for (const rule of [
      `${root}/secret/../home/notes/*`,
      `${root}//home/notes/*`,
      `${root}/home/./notes/*`,
      '~/notes/*',
      '~/notes/a.txt',
      '~/notes/a.txt/',
      '~/notes//a*',
      '../home/notes/*',
      '~/*.txt',
      '*',
    ])
      expect([rule, await allows(`write(${rule})`, path)]).toEqual([rule, true])
    for (const rule of ['~/notes', '~/note', '~/notes/a', '~/notes/b*', '~/notes/a.txt/*', 'notes/*', '~x/*'])
      expect([rule, await allows(`write(${rule})`, path)]).toEqual([rule, false])
    expect(await allows(`write(${directory}/out/*)`, `${directory}/out/../../target/x`)).toBe(false)
  })

  it('allows what is below a home directory that is a link', async () => {
    await symlink(home, join(root, 'linked-home'))
    const { request, file } = await about(write, join(home, 'a.txt'))
    const linked = { ...file, home: join(root, 'linked-home') }
    expect(await isNamedBy(['write(~/*)'], request, linked)).toBe(true)
  })

  it('allows a search only where it covers everything that is searched', async () => {
    const search = { ...read, isDeep: true }
    expect(await allows(`read(${root}/secret/*)`, join(root, 'secret'), search)).toBe(true)
    expect(await allows(`read(${root}/sec*)`, join(root, 'secret'), search)).toBe(true)
    expect(await allows(`read(${root}/secret)`, join(root, 'secret'), search)).toBe(true)
    expect(await allows(`read(${root}/secret/*.md)`, join(root, 'secret'), search)).toBe(false)
    expect(await allows(`read(${root}/secret/*)`, root, search)).toBe(false)
  })

  it('denies a file by the name that it has and by the place where it is', async () => {
    const real = join(root, 'secret', 'key')
    const linked = join(directory, 'peek', 'key')
    for (const rule of [
      `${root}/secret/*`,
      `${root}/secret/`,
      `${root}/SECRET/*`,
      `${root}/secret/key`,
      '../secret/*',
    ])
      for (const path of [real, linked, `${directory}/out/../peek/key`])
        expect([rule, path, await decisionFor(`read(${rule})`, path)]).toEqual([rule, path, 'deny'])
    for (const rule of [`${directory}/peek/*`, 'peek/*', `${root}/way/peek/*`])
      expect([rule, await decisionFor(`read(${rule})`, linked)]).toEqual([rule, 'deny'])
    expect(await decisionFor(`read(${directory}/peek/*)`, real)).toBe('deny')
    expect(await decisionFor('read(peek/*)', linked, read, join(root, 'way'))).toBe('deny')
  })

  it('that denies something below a directory has its search asked each time, and denies one within', async () => {
    const search = { ...read, isDeep: true }
    for (const rule of [`${directory}/keys/*`, 'keys/a', '*.pem', `${directory}/k*.pem`])
      expect([rule, await decisionFor(`read(${rule})`, directory, search)]).toEqual([rule, 'ask-each-time'])
    expect(await decisionFor('read(keys/*)', join(directory, 'keys'), search)).toBe('deny')
    expect(await decisionFor('read(keys/*)', join(directory, 'keys', 'deep'), search)).toBe('deny')
    expect(await decisionFor('read(keys/*)', join(directory, 'out'), search)).toBe('allow')
  })
})

it.each([
  ...[
    'true;rm z',
    '/bin/rm w',
    'true && rm z',
    'echo $(rm z)',
    'echo `rm z`',
    'ls | xargs rm',
    'A=1 rm z',
    'sudo -n rm z',
  ],
  ...[
    'true\nrm z',
    '(rm z)',
    'if true; then rm z; fi',
    "sh -c 'rm z'",
    'env -i timeout 5 ./rm z',
    '\\rm z',
    "'rm' z",
  ],
  ...['find . -exec rm {} ;', 'echo "$(rm z)"', '> f rm z', 'rm'],
])('a rule for rm denies %j', async (command) => {
  expect(await decide(policy(['run'], ['run(rm *)']), run(command), null)).toBe('deny')
})

it.each(['echo rm z', 'rmdir z', "echo 'a; rm z'", 'git rm z', 'grep -r "rm " .'])(
  'a rule for rm does not deny %j',
  async (command) => {
    expect(await decide(policy(['run'], ['run(rm *)']), run(command), null)).toBe('allow')
  },
)

it('a command that runs in another directory is denied by the rules for it, and allowed by none', async () => {
  const elsewhere = { ...run('in /b: rm z'), command: 'rm z' }
  expect(await decide(policy(['run(rm z)'], []), elsewhere, null)).toBe('ask')
  expect(await decide(policy(['run'], ['run(rm *)']), elsewhere, null)).toBe('deny')
})

it.each([
  ...[
    'npm test; x',
    'npm test\nx',
    'npm test\rx',
    'npm test `x`',
    'npm test $(x)',
    'npm test $X',
    "npm test 'x",
    'npm test "x',
  ],
  ...[
    'npm test > f',
    'npm test <f',
    'npm test & x',
    'LD_PRELOAD=x npm test',
    './npm test',
    '/tmp/npm test',
    'npm tests',
  ],
  ...['npm --prefix x test', 'npm\u00a0test', "npm test '; x'", 'npm', 'sudo npm test', 'npm "test x"'],
])('a rule for npm test does not allow %j', async (command) => {
  expect(await decide(policy(['run(npm test *)'], []), run(command), null)).toBe('ask')
})

it.each(['npm test', 'npm test -- -t x', '  npm   test x ', 'npm \'test\' "a b"', "npm test 'a b'"])(
  'a rule for npm test allows %j',
  async (command) => {
    expect(await decide(policy(['run(npm test *)'], []), run(command), null)).toBe('allow')
  },
)

it('an exact rule allows one simple command too', async () => {
  expect(await decide(policy(['run(a; b)'], []), run('a; b'), null)).toBe('ask')
  expect(await decide(policy(["run(ls '*.ts')"], []), run('ls *.ts'), null)).toBe('ask')
})
