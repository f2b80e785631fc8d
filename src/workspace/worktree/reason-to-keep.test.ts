import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { commitAll, keepHeadInTables, newDirectory, newRepository, person, put } from '../testing/ground.ts'
import { type Made, worktreeOf } from '../testing/worktree-ground.ts'
import { reasonToKeep } from './reason-to-keep.ts'

const newWorktree = async (): Promise<Made & { readonly root: string }> => {
  const root = await newRepository({ a: '1' })
  put(root, { a: '2' })
  commitAll(root)
  return { ...(await worktreeOf(root)), root }
}

const reasonFor = ({ managed, project, worktree }: Made): Promise<string | null> =>
  reasonToKeep(managed, project.repository?.commonDir ?? '', worktree)

describe('a worktree may go', () => {
  test('when nothing happened in it, and when it has only files that a snapshot holds', async () => {
    const made = await newWorktree()
    expect(await reasonFor(made)).toBe(null)
    put(made.worktree.path, { a: 'changed', new: 'x' })
    expect(await reasonFor(made)).toBe(null)
  })

  test('when its commits are on a branch, its own or another', async () => {
    const made = await newWorktree()
    put(made.worktree.path, { a: '3' })
    commitAll(made.worktree.path)
    expect(await reasonFor(made)).toBe(null)
    person(made.worktree.path, 'checkout', '-q', '--detach')
    expect(await reasonFor(made)).toBe(null)
  })

  test('when its directory is gone already', async () => {
    const made = await newWorktree()
    rmSync(made.worktree.path, { recursive: true })
    expect(await reasonFor(made)).toBe(null)
    person(made.root, 'worktree', 'prune')
    expect(await reasonFor(made)).toBe(null)
  })

  test('when bough’s data is reached by a link', async () => {
    const made = await newWorktree()
    const link = join(await newDirectory(), 'link')
    symlinkSync(made.managed, link)
    const worktree = { ...made.worktree, path: join(link, basename(made.worktree.path)) }
    expect(await reasonFor({ ...made, managed: link, worktree })).toBe(null)
  })
})

describe('a worktree stays', () => {
  test('when it is not where bough keeps them, or a link leads out of there', async () => {
    const made = await newWorktree()
    const elsewhere = await newDirectory()
    expect(await reasonFor({ ...made, managed: elsewhere })).toBe(
      `${made.worktree.path} is not in ${elsewhere}`,
    )
    const moved = join(elsewhere, 'moved')
    renameSync(made.worktree.path, moved)
    symlinkSync(moved, made.worktree.path)
    expect(await reasonFor(made)).toBe(`${made.worktree.path} is not in ${made.managed}`)
    const above = { ...made.worktree, path: made.managed }
    expect(await reasonFor({ ...made, worktree: above })).toContain('is not in')
    const climbing = { ...made.worktree, path: `${made.managed}/../..` }
    expect(await reasonFor({ ...made, worktree: climbing })).toContain('is not in')
  })

  test('when what is there is something else', async () => {
    const made = await newWorktree()
    const words = `${made.worktree.path} is not the worktree that bough made there`
    rmSync(join(made.worktree.path, '.git'))
    expect(await reasonFor(made)).toBe(words)
    person(made.worktree.path, 'init', '-q')
    expect(await reasonFor(made)).toBe(words)
    rmSync(join(made.worktree.path, '.git'), { recursive: true })
    put(made.worktree.path, { '.git': `gitdir: ${join(made.root, '.git')}\n` })
    expect(await reasonFor(made)).toBe(words)
  })

  test('when its repository is gone', async () => {
    const made = await newWorktree()
    rmSync(join(made.root, '.git'), { recursive: true })
    expect(await reasonFor(made)).toBe(`its repository ${join(made.root, '.git')} is gone`)
  })

  test('when commits that no branch has are checked out', async () => {
    const made = await newWorktree()
    person(made.worktree.path, 'checkout', '-q', '--detach')
    put(made.worktree.path, { a: '3' })
    commitAll(made.worktree.path)
    const head = person(made.worktree.path, 'rev-parse', 'HEAD').slice(0, 12)
    expect(await reasonFor(made)).toBe(`no branch has the commit ${head} that is checked out there`)
    person(made.root, 'tag', 'kept', head)
    expect(await reasonFor(made)).toBe(null)
  })

  test('when such commits are checked out and refs are kept in tables, which only git reads', async () => {
    const made = await newWorktree()
    person(made.worktree.path, 'checkout', '-q', '--detach')
    put(made.worktree.path, { a: '3' })
    commitAll(made.worktree.path)
    const head = person(made.worktree.path, 'rev-parse', 'HEAD').slice(0, 12)
    const commonDir = join(made.root, '.git')
    const { PATH } = await keepHeadInTables(join(commonDir, 'worktrees', 'x'), commonDir)
    vi.stubEnv('PATH', PATH)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await reasonFor(made)).toBe(`no branch has the commit ${head} that is checked out there`)
  })

  test.each([
    ['merge', ['merge', '--no-commit', '--no-ff', 'other']],
    ['rebase', ['rebase', 'other']],
    ['cherry-pick', ['cherry-pick', 'other']],
    ['revert', ['revert', '--no-commit', 'HEAD']],
    ['bisect', ['bisect', 'start']],
  ] as const)('when a %s is in progress', async (name, args) => {
    const made = await newWorktree()
    person(made.root, 'checkout', '-q', '-b', 'other')
    put(made.root, { a: 'other' })
    commitAll(made.root)
    put(made.worktree.path, { a: 'own' })
    commitAll(made.worktree.path)
    try {
      person(made.worktree.path, ...args)
    } catch {
      // A conflict.
    }
    expect(await reasonFor(made)).toBe(`a ${name} is in progress there`)
  })

  test('when the person has locked it', async () => {
    const made = await newWorktree()
    person(made.root, 'worktree', 'lock', '--reason', 'mine', made.worktree.path)
    expect(await reasonFor(made)).toBe('it is locked (git worktree unlock): mine')
    person(made.root, 'worktree', 'unlock', made.worktree.path)
    person(made.root, 'worktree', 'lock', made.worktree.path)
    expect(await reasonFor(made)).toBe('it is locked (git worktree unlock)')
  })

  test('when a submodule was checked out in it', async () => {
    const root = await newRepository({ a: '1' })
    person(root, 'submodule', '--quiet', 'add', await newRepository({ l: '1' }), 'lib')
    commitAll(root)
    const made = await worktreeOf(root)
    expect(await reasonFor(made)).toBe(null)
    person(made.worktree.path, 'submodule', '--quiet', 'update', '--init')
    expect(await reasonFor(made)).toContain('submodules were checked out there')
  })

  test('when it has refs of its own', async () => {
    const made = await newWorktree()
    person(made.worktree.path, 'update-ref', 'refs/worktree/mine', 'HEAD')
    expect(await reasonFor(made)).toBe('it has refs of its own in refs/worktree')
  })

  test('when a process runs in it', async () => {
    const made = await newWorktree()
    mkdirSync(join(made.worktree.path, 'below'))
    const child = spawn('sleep', ['1000'], { cwd: join(made.worktree.path, 'below'), stdio: 'ignore' })
    const ended = once(child, 'exit')
    onTestFinished(() => void child.kill())
    await once(child, 'spawn')
    expect(await reasonFor(made)).toBe(`sleep (process ${child.pid}) runs there`)
    child.kill()
    await ended
    expect(await reasonFor(made)).toBe(null)
    expect(existsSync(made.worktree.path)).toBe(true)
  })
})
