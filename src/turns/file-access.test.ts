import { execFile } from 'node:child_process'
import { link, mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, it } from 'vitest'
import { Agents } from '../agents/agents.ts'
import { createClaudeDriver } from '../agents/claude/claude.ts'
import { createCodexDriver } from '../agents/codex/codex.ts'
import type { PermissionRequest } from '../agents/driver.ts'
import { createOfflineDriver } from '../agents/offline/offline.ts'
import { type AccessLimits, judgeFile } from './file-access.ts'

const execute = promisify(execFile)

let root: string
let project: string
let own: string
let home: string

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'access-')))
  ;[project = '', own = '', home = ''] = ['project', 'own', 'home'].map((name) => join(root, name))
  for (const directory of [project, own, home]) await mkdir(directory)
})

const agents = new Agents([
  createClaudeDriver(),
  createCodexDriver({ mcpCommand: [], worktreesOf: async () => [] }),
  createOfflineDriver(),
])

type Request = Partial<PermissionRequest> & { readonly path: string }

const judge = (request: Request, directory: string, limits: Partial<AccessLimits> = {}) =>
  judgeFile({ action: 'write', ...request }, directory, {
    ...{ ownData: [own], homes: [home], protected: agents.settings },
    ...limits,
  })

const reasonFor = async (request: Request, directory: string, limits?: Partial<AccessLimits>) => {
  const { access, reason } = await judge(request, directory, limits)
  return `${access}: ${reason}`
}

it('a file below the session’s directory is free, whether it exists or not', async () => {
  expect(await reasonFor({ path: join(project, 'new', 'deep.txt') }, project)).toBe('free: inside')
  expect(await reasonFor({ path: join(project, 'x'), action: 'read' }, project)).toBe('free: inside')
  expect(await reasonFor({ path: join(project, '..', 'project-2', 'x') }, project)).toBe('asked: outside')
})

it('links are followed, also those that lead nowhere yet', async () => {
  await symlink(root, join(project, 'up'))
  await symlink(join(own, 'future.db'), join(project, 'dangling'))
  expect(await judge({ path: join(project, 'up', 'x') }, project)).toEqual({
    access: 'asked',
    reason: 'outside',
    realPath: join(root, 'x'),
    isProtected: false,
  })
  expect(await reasonFor({ path: join(project, 'dangling') }, project)).toBe('never: own-data')
})

it('a link to a file that does not exist yet counts its steps upwards from where it really is', async () => {
  await mkdir(join(root, 'elsewhere', 'deep'), { recursive: true })
  await symlink(join(root, 'elsewhere', 'deep'), join(project, 'link'))
  await symlink('../new', join(root, 'elsewhere', 'deep', 'dangling'))
  expect(await judge({ path: join(project, 'link', 'dangling') }, project)).toMatchObject({
    reason: 'outside',
    realPath: join(root, 'elsewhere', 'new'),
  })
})

it('a path that goes up behind a link is judged by where the system would go', async () => {
  await mkdir(join(root, 'elsewhere', 'deep'), { recursive: true })
  await symlink(join(root, 'elsewhere', 'deep'), join(project, 'link'))
  expect(await reasonFor({ path: `${project}/link/../x` }, project)).toBe('asked: outside')
})

it('a circle of links and a chain that no system follows are asked each time', async () => {
  await symlink('circle', join(project, 'circle'))
  await symlink(join(root, 'outside.txt'), join(project, 'link-0'))
  for (let i = 1; i <= 45; i++) await symlink(`link-${i - 1}`, join(project, `link-${i}`))
  for (const name of ['circle', 'link-45']) {
    expect(await judge({ path: join(project, name) }, project)).toMatchObject({
      access: 'asked',
      reason: 'unresolvable',
      isProtected: true,
    })
  }
})

it('links that name each other twice are given up soon', async () => {
  await symlink('nowhere/x', join(project, 'double-0'))
  for (let i = 1; i <= 38; i++)
    await symlink(`double-${i - 1}/../../double-${i - 1}`, join(project, `double-${i}`))
  expect(await reasonFor({ path: join(project, 'double-38') }, project)).toBe('asked: unresolvable')
})

it('inside both the session’s directory and bough’s own, the deeper one decides', async () => {
  expect(await reasonFor({ path: join(own, 'bough.db') }, root)).toBe('never: own-data')
  expect(await reasonFor({ path: join(own, 'demo', 'a.txt') }, join(own, 'demo'))).toBe('free: inside')
  expect(await reasonFor({ path: join(own, 'bough.db') }, join(own, 'demo'))).toBe('never: own-data')
})

it('a link that is to be deleted is judged by where it is, not by where it leads', async () => {
  await symlink(project, join(root, 'link'))
  expect(await reasonFor({ path: join(root, 'link') }, project)).toBe('free: inside')
  expect(await reasonFor({ path: join(root, 'link'), linkItself: true }, project)).toBe('asked: outside')
})

it('a config file that is linked from elsewhere is bough’s own all the same', async () => {
  const config = join(project, 'bough.json')
  await writeFile(config, '{}')
  await symlink(config, join(own, 'config.json'))
  const ownData = [own, join(own, 'config.json')]
  expect(await reasonFor({ path: config, action: 'read' }, project, { ownData })).toBe('never: own-data')
})

it('nothing may be searched that has bough’s own data below it', async () => {
  expect(await reasonFor({ path: root, action: 'read', isDeep: true }, root)).toBe('never: own-data')
  expect(await reasonFor({ path: project, action: 'read', isDeep: true }, root, { homes: [] })).toBe(
    'free: inside',
  )
})

it.each([
  ...['.git', '.git/config', '.GIT/config', '.g\u200cit/config', 'sub/.git', '.gitmodules', '.gitattributes'],
  ...['.claude/settings.json', '.claude.json', 'sub/.Codex/config.toml', '.mcp.json', '.husky/pre-commit'],
  ...['.vscode/tasks.json', '.vſcode/tasks.json', '.idea/x.xml', '.devcontainer/devcontainer.json'],
  ...['.devcontainer.json', '.envrc', 'deep/down/.npmrc', '.bashrc', '.profile', '.zshrc', '.zshenv'],
  ...[
    '.bash_profile',
    '.bash_login',
    '.bash_logout',
    '.zprofile',
    '.zlogin',
    'fish/config.fish',
    '.gitconfig',
  ],
])('%s may be read freely and is asked each time before it is written', async (path) => {
  expect(await judge({ path: join(project, path) }, project)).toMatchObject({
    access: 'asked',
    reason: 'protected',
    isProtected: true,
  })
  expect(await reasonFor({ path: join(project, path), linkItself: true }, project)).toBe('asked: protected')
  expect(await reasonFor({ path: join(project, path), action: 'read' }, project)).toBe('free: inside')
})

it.each(['.gitignore', 'git/config', '.claude.md', 'bashrc', 'my.npmrc', '.huskyrc.md', '.github/a.yml'])(
  '%s is as free as any other file',
  async (path) => {
    expect(await reasonFor({ path: join(project, path) }, project)).toBe('free: inside')
  },
)

it('names on the way to the session’s directory protect nothing in it', async () => {
  const directory = join(project, '.claude', 'worktrees', 'x')
  expect(await reasonFor({ path: join(directory, 'a.txt') }, directory)).toBe('free: inside')
})

it('the person protects more files by names, paths and wildcards', async () => {
  await symlink(project, join(root, 'link'))
  const limits = { protected: ['Makefile', 'scripts/*.sh', '~/bin', `${root}/link/generated/**`] }
  const protectedIn = async (path: string, directory = project) =>
    (await judge({ path }, directory, limits)).isProtected
  for (const path of ['makefile', 'sub/Makefile', 'scripts/a.sh', 'x/scripts/b.sh', 'generated/deep/x'])
    expect([path, await protectedIn(join(project, path))]).toEqual([path, true])
  for (const path of ['Makefile.md', 'scripts/a/b.sh', 'scripts', 'generate'])
    expect([path, await protectedIn(join(project, path))]).toEqual([path, false])
  expect(await protectedIn(join(home, 'bin', 'x'), join(home, 'bin'))).toBe(true)
})

it('outside the session’s directory, protected files are known too', async () => {
  expect(await judge({ path: join(root, 'other', '.envrc') }, project)).toMatchObject({
    ...{ access: 'asked', reason: 'outside', isProtected: true },
  })
})

it('git’s directories, hooks and included files are asked wherever they are, also through links', async () => {
  await execute('git', ['init', '-q', '--separate-git-dir', join(project, 'meta'), project])
  await execute('git', ['init', '-q', '--bare', join(project, 'planted')])
  await execute('git', ['-C', project, 'config', 'core.hooksPath', 'ci/hooks'])
  await execute('git', ['-C', project, 'config', 'include.path', '../shared.inc'])
  await symlink('shared.inc', join(project, 'other-name'))
  await symlink('real-hooks', join(project, 'ci'))
  await mkdir(join(project, 'real-hooks'))
  const sources = [
    'meta/config',
    'meta/hooks/post-checkout',
    'planted/config',
    'planted/hooks/x',
    'ci/hooks/pre-commit',
  ]
  for (const path of [...sources, 'shared.inc', 'other-name', 'real-hooks/hooks/pre-commit', 'new/HEAD'])
    expect([path, await reasonFor({ path: join(project, path) }, project)]).toEqual([
      path,
      'asked: protected',
    ])
  for (const path of ['a.txt', 'ci/build.sh', 'hooks/pre-commit', 'config', 'new/config'])
    expect([path, await reasonFor({ path: join(project, path) }, project)]).toEqual([path, 'free: inside'])
  expect(await reasonFor({ path: join(project, 'meta', 'config'), action: 'read' }, project)).toBe(
    'free: inside',
  )
})

it('a file with other names is asked before it is written, and free to be deleted and read', async () => {
  const path = join(project, 'a.txt')
  await writeFile(join(root, 'elsewhere.txt'), '')
  await link(join(root, 'elsewhere.txt'), path)
  expect(await judge({ path }, project)).toMatchObject({ reason: 'hard-link', isProtected: true })
  expect(await reasonFor({ path, linkItself: true }, project)).toBe('free: inside')
  expect(await reasonFor({ path, action: 'read' }, project)).toBe('free: inside')
})

it('where git’s config cannot be read, every file is asked', async () => {
  await execute('git', ['init', '-q', project])
  await execute('rm', [join(project, '.git', 'config')])
  await execute('mkfifo', [join(project, '.git', 'config')])
  expect(await reasonFor({ path: join(project, 'a.txt') }, project)).toBe('asked: protected')
})

it('in the home directory, above it and at the root nothing is free', async () => {
  await symlink(home, join(root, 'way-home'))
  for (const directory of [home, root, '/', join(root, 'way-home')]) {
    for (const request of [{}, { action: 'read' }, { action: 'read', isDeep: true }] as const) {
      const path = join(home, 'notes')
      expect(await judge({ path, ...request }, directory)).toMatchObject({
        access: 'asked',
        reason: 'too-wide',
      })
    }
  }
  expect(await reasonFor({ path: join(home, 'notes', 'x') }, join(home, 'notes'))).toBe('free: inside')
})

it('a home directory that is a link is known by where it leads', async () => {
  await symlink(home, join(root, 'linked-home'))
  const homes = [join(root, 'linked-home')]
  expect(await reasonFor({ path: join(home, 'x') }, home, { homes })).toBe('asked: too-wide')
})
