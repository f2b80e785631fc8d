import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  commitAll,
  filesIn,
  fingerprint,
  newDirectory,
  newRepository,
  person,
  put,
} from '../testing/ground.ts'
import {
  captured,
  type Made,
  plan,
  remainsIn,
  withoutPrivileges,
  worktreeOf,
} from '../testing/worktree-ground.ts'
import { removeWorktree } from './remove-worktree.ts'
import { makeWorktree } from './worktree.ts'
import { removeBranchIfMerged } from './worktree-branch.ts'

const gitDirOf = ({ project }: Pick<Made, 'project'>): string => project.repository?.commonDir ?? ''
const remove = (made: Made) => removeWorktree(made.managed, gitDirOf(made), made.worktree)

test('a worktree goes with its entry and its branch, and the repository is as before', async () => {
  const root = await newRepository({ a: '1', 'd/b': '2' })
  const ground = await captured(root)
  const before = fingerprint(join(root, '.git'))
  const worktree = plan(ground)
  await makeWorktree(ground.shadow, ground.project, worktree, ground.tree)
  put(worktree.path, { a: 'changed', new: 'x' })
  expect(await removeWorktree(ground.managed, gitDirOf(ground), worktree)).toEqual({ branchKept: false })
  expect(remainsIn(join(root, '.git'), ground.managed)).toEqual([])
  expect(fingerprint(join(root, '.git'))).toEqual(before)
})

test('a branch with commits of its own is kept until they are elsewhere', async () => {
  const root = await newRepository({ a: '1' })
  const made = await worktreeOf(root)
  put(made.worktree.path, { a: '2' })
  commitAll(made.worktree.path)
  const tip = person(made.worktree.path, 'rev-parse', 'HEAD')
  expect(await remove(made)).toEqual({ branchKept: true })
  expect(remainsIn(join(root, '.git'), made.managed)).toEqual(['refs/heads/bough/x'])
  expect(person(root, 'rev-parse', 'bough/x')).toBe(tip)
  expect(await removeBranchIfMerged(gitDirOf(made), 'bough/x')).toBe(false)
  person(root, 'merge', '-q', 'bough/x')
  expect(await removeBranchIfMerged(gitDirOf(made), 'bough/x')).toBe(true)
  expect(remainsIn(join(root, '.git'), made.managed)).toEqual([])
  expect(await removeBranchIfMerged(gitDirOf(made), 'bough/x')).toBe(true)
})

test('of branches that alone have the same commits, and go at once, one is kept', async () => {
  const root = await newRepository({ a: '1' })
  const commonDir = join(root, '.git')
  person(root, 'checkout', '-q', '--detach')
  for (let round = 1; round <= 5; round++) {
    put(root, { a: `round ${round}` })
    commitAll(root)
    const tip = person(root, 'rev-parse', 'HEAD').trim()
    const names = ['x', 'y', 'z'].map((name) => `bough/${round}/${name}`)
    for (const name of names) person(root, 'branch', name)
    person(root, 'checkout', '-q', 'main^{commit}')
    const gone = await Promise.all(names.map((name) => removeBranchIfMerged(commonDir, name)))
    expect(gone.filter((isGone) => !isGone)).toHaveLength(1)
    const left = person(root, 'for-each-ref', '--format=%(objectname)', `refs/heads/bough/${round}`)
    expect(left.split('\n').filter(Boolean)).toEqual([tip])
  }
})

test('a branch that another work tree is at is kept', async () => {
  const root = await newRepository({ a: '1' })
  const made = await worktreeOf(root)
  person(made.worktree.path, 'checkout', '-q', '--detach')
  person(root, 'checkout', '-q', 'bough/x')
  expect(await remove(made)).toEqual({ branchKept: true })
  expect(person(root, 'rev-parse', 'HEAD')).toBe(person(root, 'rev-parse', 'main'))
})

test('a removal that was killed half way can be finished', async () => {
  const made = await worktreeOf(await newRepository({ a: '1' }))
  rmSync(made.worktree.path, { recursive: true })
  expect(await remove(made)).toEqual({ branchKept: false })
  expect(await remove(made)).toEqual({ branchKept: false })
  expect(remainsIn(gitDirOf(made), made.managed)).toEqual([])
})

test('nothing outside of where bough keeps its worktrees is removed', async () => {
  const made = await worktreeOf(await newRepository({ a: '1' }))
  const elsewhere = await newDirectory()
  await expect(remove({ ...made, managed: elsewhere })).rejects.toMatchObject({ code: 'worktree_failed' })
  const moved = join(elsewhere, 'moved')
  renameSync(made.worktree.path, moved)
  symlinkSync(moved, made.worktree.path)
  await expect(remove(made)).rejects.toMatchObject({ code: 'worktree_failed' })
  expect(filesIn(moved)).toEqual({ a: '100644 1' })
  expect(remainsIn(gitDirOf(made), made.managed)).toContain('refs/heads/bough/x')
})

test('links in it are not followed', async () => {
  const [made, outside] = [
    await worktreeOf(await newRepository({ a: '1' })),
    await newRepository({ kept: '1' }),
  ]
  symlinkSync(outside, join(made.worktree.path, 'link'))
  await remove(made)
  expect(existsSync(made.worktree.path)).toBe(false)
  expect(existsSync(join(outside, 'kept'))).toBe(true)
})

test('directories that nobody may write to go too', async () => {
  const directory = await newDirectory()
  const closed = Buffer.concat([Buffer.from(`${directory}/closed/`), Buffer.from('caf\xe9', 'latin1')])
  mkdirSync(closed, { recursive: true })
  writeFileSync(Buffer.concat([closed, Buffer.from('/file')]), 'x')
  for (const path of [closed, join(directory, 'closed')]) chmodSync(path, 0o555)
  const module = new URL('./remove-directory.ts', import.meta.url).href
  const script = `const { removeDirectory } = await import('${module}'); await removeDirectory(process.argv[1])`
  const args = [...withoutPrivileges(), process.execPath, '--input-type=module', '-e', script, directory]
  execFileSync(args[0] ?? '', args.slice(1))
  expect(existsSync(directory)).toBe(false)
})
