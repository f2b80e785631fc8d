import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newDirectory, newRepository, person, put } from './testing/ground.ts'
import { trustIdentity } from './trust-identity.ts'

const namesOf = async (directory: string) => (await trustIdentity(directory)).names

test('a repository is the same in its directories and its work trees', async () => {
  const root = await newRepository({ 'below/a.txt': 'a\n' })
  const tree = join(await newDirectory(), 'tree')
  person(root, 'worktree', 'add', '-q', tree)
  const names = [join(root, '.git')]
  expect(await namesOf(root)).toEqual(names)
  expect(await namesOf(join(root, 'below'))).toEqual(names)
  expect(await trustIdentity(tree)).toMatchObject({ root: tree, names, inherits: false })
})

test('nested repositories and submodules are others', async () => {
  const [root, other] = [await newRepository(), await newRepository()]
  person(root, 'submodule', 'add', '-q', other, 'module')
  person(root, 'init', '-q', 'nested')
  const names = [
    await namesOf(root),
    await namesOf(join(root, 'module')),
    await namesOf(join(root, 'nested')),
  ]
  expect(names).toEqual([[join(root, '.git')], [join(root, 'module')], [join(root, 'nested', '.git')]])
})

test('a git directory elsewhere, a bare repository and no git at all have an identity, too', async () => {
  const [separate, bare, plain] = [await newDirectory(), await newDirectory(), await newDirectory()]
  person(separate, 'init', '-q', '--separate-git-dir', join(await newDirectory(), 'git'))
  person(bare, 'init', '-q', '--bare')
  expect(await namesOf(separate)).toEqual([separate])
  expect(await namesOf(bare)).toEqual([bare])
  expect(await trustIdentity(plain)).toMatchObject({ names: [plain], inherits: true })
})

test('a project cannot pass itself off as a work tree of a trusted repository', async () => {
  const trusted = await newRepository()
  const tree = join(await newDirectory(), 'tree')
  person(trusted, 'worktree', 'add', '-q', tree)
  const gitDir = join(trusted, '.git')
  const entry = join(gitDir, 'worktrees', 'tree')
  for (const text of [`gitdir: ${gitDir}\n`, `gitdir: ${entry}\n`]) {
    const forged = await newDirectory('forged')
    writeFileSync(join(forged, '.git'), text)
    expect(await namesOf(forged)).toEqual([forged])
  }
  const linked = await newDirectory('forged')
  symlinkSync(gitDir, join(linked, '.git'))
  expect(await namesOf(linked)).toEqual([linked])
  const common = await newRepository()
  put(common, { '.git/commondir': `${gitDir}\n` })
  expect(await namesOf(common)).toEqual([common])
  // The person's own work tree still is one; moved without git, it is not.
  expect(await namesOf(tree)).toEqual([gitDir])
  const moved = await newDirectory('moved')
  rmSync(moved, { recursive: true })
  mkdirSync(moved)
  writeFileSync(join(moved, '.git'), `gitdir: ${entry}\n`)
  expect(await namesOf(moved)).toEqual([moved])
})
