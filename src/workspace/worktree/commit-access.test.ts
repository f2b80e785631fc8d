import { mkdir, mkdtemp, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newRepository, person } from '../testing/ground.ts'
import { commitAccess } from './commit-access.ts'

/** A repository with a linked worktree of the branch `bough/own`, beside the branch `bough/other`. */
async function linked() {
  const root = await realpath(await newRepository({ 'a.txt': 'a\n' }))
  person(root, 'branch', 'bough/other')
  const tree = join(await realpath(await mkdtemp(join(tmpdir(), 'tree-'))), 'tree')
  person(root, 'worktree', 'add', '-b', 'bough/own', tree)
  const common = join(root, '.git')
  return { root, tree, common, own: join(common, 'worktrees/tree') }
}

test('a worktree may write its objects, index, HEAD and branch, but no config and no other branch', async () => {
  const { tree, common, own } = await linked()
  const { write, read } = await commitAccess(tree, 'bough/own')
  const branches = ['refs/heads/bough', 'logs/refs/heads/bough'].map((name) => join(common, name))
  expect(write).toEqual([own, join(common, 'objects'), ...branches])
  const kept = ['commondir', 'gitdir', 'config.worktree'].map((name) => join(own, name))
  expect(read).toEqual(expect.arrayContaining([common, join(tree, '.git'), ...kept]))
  expect(read).toEqual(expect.arrayContaining(branches.map((folder) => join(folder, 'other'))))
  expect(read).not.toContain(join(branches[0] ?? '', 'own'))
  // Where there was none, git would read one that somebody made.
  expect(await readFile(join(own, 'config.worktree'), 'utf8')).toBe('')
})

test('in a main work tree nothing of git may be written', async () => {
  const { root, common } = await linked()
  const { write, read } = await commitAccess(root, null)
  expect(write).toEqual([])
  expect(read).toContain(common)
})

test('a file .git that an agent wrote opens no other repository', async () => {
  const { own, common } = await linked()
  const forged = await mkdtemp(join(tmpdir(), 'forged-'))
  await writeFile(join(forged, '.git'), `gitdir: ${own}\n`)
  expect((await commitAccess(forged, null)).write).toEqual([])
  const inside = join(forged, 'inside')
  await mkdir(join(inside, 'gitdir/worktrees/x'), { recursive: true })
  await writeFile(join(inside, 'gitdir/worktrees/x/HEAD'), 'ref: refs/heads/main\n')
  await writeFile(join(inside, 'gitdir/worktrees/x/commondir'), `${common}\n`)
  await writeFile(join(inside, 'gitdir/worktrees/x/gitdir'), `${join(inside, '.git')}\n`)
  await writeFile(join(inside, '.git'), `gitdir: ${join(inside, 'gitdir/worktrees/x')}\n`)
  expect((await commitAccess(inside, null)).write).toEqual([])
})

test('a branch whose name or place leads out of the branches opens nothing there', async () => {
  const { tree, own, common } = await linked()
  await writeFile(join(own, 'HEAD'), 'ref: refs/heads/../../hooks/x\n')
  expect((await commitAccess(tree, null)).write).toEqual([own, join(common, 'objects')])
  await symlink(join(common, 'hooks'), join(common, 'refs/heads/bough/deeper'))
  await writeFile(join(own, 'HEAD'), 'ref: refs/heads/bough/deeper/x\n')
  expect((await commitAccess(tree, null)).write).not.toContain(join(common, 'hooks'))
})
