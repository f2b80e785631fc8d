import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { gitCommandSources, isInGitDirectory } from './command-sources.ts'

const execute = promisify(execFile)

let root: string
let project: string

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'sources-')))
  project = join(root, 'project')
  await mkdir(project)
})

const git = (...args: string[]) => execute('git', ['-C', project, ...args])
const put = async (path: string, text = '') => {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
const sourcesOf = (path: string) => gitCommandSources(join(project, path))

it('outside of a repository git has only the person’s own commands', async () => {
  expect((await sourcesOf('a.txt')).filter((path) => path.startsWith(root))).toEqual([])
})

it('a git directory is a source wherever it is, and the common directory of a worktree too', async () => {
  await git('init', '-q', '--separate-git-dir', join(project, 'meta'))
  expect(await sourcesOf('deep/a.txt')).toContain(join(project, 'meta'))
  await git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x')
  await git('worktree', 'add', '-q', join(root, 'other'))
  const found = await gitCommandSources(join(root, 'other', 'a.txt'))
  expect(found).toContain(join(project, 'meta'))
  expect(found).toContain(join(project, 'meta', 'worktrees', 'other'))
})

it('hooks, a file monitor and included files are sources, from every repository around', async () => {
  await git('init', '-q')
  await git('config', 'core.hooksPath', 'my hooks')
  await git('config', 'core.fsmonitor', './tools/watch')
  await git('config', 'extensions.worktreeConfig', 'true')
  await git('config', '--worktree', 'core.hooksPath', 'more-hooks')
  await git('config', 'include.path', '../shared.gitconfig')
  await put(join(project, 'shared.gitconfig'), '[includeIf "gitdir:/x/"]\npath = sub/deep.inc\n')
  await put(join(project, 'sub', 'deep.inc'), '[core]\nhooksPath = deep-hooks\n[include]\npath = deep.inc\n')
  await execute('git', ['init', '-q', join(project, 'nested')])
  const found = await sourcesOf('nested/a.txt')
  for (const path of [
    'my hooks',
    'tools/watch',
    'more-hooks',
    'shared.gitconfig',
    'sub/deep.inc',
    'deep-hooks',
  ])
    expect(found).toContain(join(project, path))
  for (const path of ['.git', 'nested/.git']) expect(found).toContain(join(project, path))
})

it('the person’s own config counts in every repository', async () => {
  const config = join(homedir(), '.gitconfig')
  await put(
    config,
    `[core]\nhooksPath = ${project}/global\n[core]\nhooksPath = relative\nhooksPath = ~/mine\n`,
  )
  onTestFinished(() => writeFile(config, ''))
  await git('init', '-q')
  const found = await sourcesOf('a.txt')
  for (const path of [join(project, 'global'), join(project, 'relative'), join(homedir(), 'mine'), config])
    expect(found).toContain(path)
})

it('a config that nobody can read is told, not waited for', async () => {
  await git('init', '-q')
  await execute('rm', [join(project, '.git', 'config')])
  await execute('mkfifo', [join(project, '.git', 'config')])
  await expect(sourcesOf('a.txt')).rejects.toMatchObject({ code: 'file_unreadable' })
})

it('a git directory is known by what is in it, under any name', async () => {
  await execute('git', ['init', '-q', '--bare', join(project, 'vendor', 'data')])
  for (const path of ['config', 'hooks/pre-commit', 'objects/x', 'anything', 'deep/anything'])
    expect([path, isInGitDirectory(join(project, 'vendor', 'data', path))]).toEqual([path, true])
  expect(isInGitDirectory(join(project, 'vendor', 'other', 'config'))).toBe(false)
  expect(isInGitDirectory(join(project, 'vendor', 'config'))).toBe(false)
})

it('no order of writing its files makes a git directory without one of them being known', async () => {
  const files = ['config', 'HEAD', 'objects/a', 'refs/heads/a', 'hooks/post-checkout', 'commondir']
  for (const [i] of files.entries()) {
    const order = [...files.slice(i), ...files.slice(0, i)]
    const at = join(project, `planted-${i}`)
    const known: string[] = []
    for (const file of order) {
      if (isInGitDirectory(join(at, file))) known.push(file)
      await put(join(at, file))
    }
    expect([i, known]).toEqual([i, expect.arrayContaining(['HEAD'])])
    // Whatever comes after that one is known as well.
    expect(known).toEqual(order.slice(order.indexOf('HEAD')))
  }
})

it('a HEAD that is there already makes every other part known', async () => {
  await put(join(project, 'x', 'HEAD'), 'ref: refs/heads/main\n')
  for (const path of ['objects/a', 'refs/a', 'commondir', 'config', 'hooks/a'])
    expect([path, isInGitDirectory(join(project, 'x', path))]).toEqual([path, true])
  expect(isInGitDirectory(join(project, 'x', 'readme'))).toBe(false)
})

it('worktrees below a bare repository are no part of it', async () => {
  const bare = join(project, 'bare')
  await execute('git', ['init', '-q', '--bare', bare])
  await put(join(bare, 'main', '.git'), 'gitdir: ../worktrees/main')
  expect(isInGitDirectory(join(bare, 'main', 'src', 'a.ts'))).toBe(false)
  expect(isInGitDirectory(join(bare, 'main', 'a.ts'))).toBe(false)
  await put(join(bare, 'hooks', '.git'), 'gitdir: x')
  expect(isInGitDirectory(join(bare, 'hooks', 'pre-commit'))).toBe(true)
})
