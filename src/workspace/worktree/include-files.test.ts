import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commitAll, filesIn, newDirectory, newRepository, person, put } from '../testing/ground.ts'
import { captured, worktreeOf } from '../testing/worktree-ground.ts'
import { copyIncluded, type Included } from './include-files.ts'

/** What is copied to an empty directory. */
async function copy(root: string): Promise<Included & { readonly to: string }> {
  const { shadow, project } = await captured(root)
  const to = await newDirectory('to')
  return { ...(await copyIncluded(shadow, project, to)), to }
}

test('ignored files that are named are copied, with their modes; others are not', async () => {
  const root = await newRepository({
    '.gitignore': '.env*\n/cache/\n*.log\n',
    '.worktreeinclude': '# what a worktree needs\n.env*\n!.env.example\n/cache/\nREADME\nuntracked\n',
    README: 'tracked',
  })
  put(root, {
    '.env': 'secret',
    '.env.example': 'x',
    'sub/.env': 'deep',
    'cache/a/b': 'c',
    'x.log': 'log',
    untracked: 'u',
  })
  chmodSync(join(root, '.env'), 0o600)
  const { copied, leftOut, to } = await copy(root)
  expect(filesIn(to)).toEqual({ '.env': '100644 secret', 'sub/.env': '100644 deep', 'cache/a/b': '100644 c' })
  expect(statSync(join(to, '.env')).mode & 0o777).toBe(0o600)
  expect({ copied, leftOut }).toEqual({ copied: 3, leftOut: [] })
})

test('nothing is copied where nothing is named', async () => {
  const root = await newRepository({ '.gitignore': '.env\n' })
  put(root, { '.env': 'secret' })
  expect(await copy(root)).toMatchObject({ copied: 0, leftOut: [] })
  put(root, { '.worktreeinclude': '' })
  expect(await copy(root)).toMatchObject({ copied: 0, leftOut: [] })
})

test('what is there already is not overwritten', async () => {
  const root = await newRepository({ '.gitignore': '.env\nd/\n', '.worktreeinclude': '.env\nd/\n' })
  put(root, { '.env': 'secret', 'd/e': 'x' })
  const { shadow, project, worktree } = await worktreeOf(root)
  put(worktree.path, { '.env': 'own', d: 'a file' })
  const why = 'something is in its place in the worktree'
  const { copied, leftOut } = await copyIncluded(shadow, project, worktree.path)
  expect(copied).toBe(0)
  expect(leftOut).toEqual(
    expect.arrayContaining([
      { path: '.env', why },
      { path: 'd/e', why },
    ]),
  )
  expect(readFileSync(join(worktree.path, '.env'), 'utf8')).toBe('own')
})

test('links are copied as links when they stay in the project, and left out when they lead out of it', async () => {
  const [root, outside] = [
    await newRepository({ '.gitignore': '/d/\n', '.worktreeinclude': 'd/\n', there: '1' }),
    await newRepository({ secret: 'x' }),
  ]
  put(root, { 'd/file': '1' })
  const links = {
    inside: '../there',
    dangling: 'nowhere',
    absolute: join(outside, 'secret'),
    own: join(root, 'there'),
    climbing: '../../x',
    directory: outside,
    'by-another': 'directory/secret',
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, 'd', name))
  const { leftOut, to } = await copy(root)
  expect(filesIn(to)).toEqual({
    'd/file': '100644 1',
    'd/inside': '120000 ../there',
    'd/dangling': '120000 nowhere',
  })
  const why = 'it is a link that leads out of the project'
  expect(leftOut.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(
    ['absolute', 'by-another', 'climbing', 'directory', 'own'].map((name) => ({ path: `d/${name}`, why })),
  )
})

test('nothing is written through a link in the worktree', async () => {
  const root = await newRepository({ '.gitignore': 'd/x\n', '.worktreeinclude': 'd/x\n' })
  const outside = await newDirectory('outside')
  put(root, { 'd/x': 'secret' })
  const { shadow, project } = await captured(root)
  const to = await newDirectory('to')
  symlinkSync(outside, join(to, 'd'))
  const { copied, leftOut } = await copyIncluded(shadow, project, to)
  expect({ copied, leftOut }).toEqual({
    copied: 0,
    leftOut: [{ path: 'd/x', why: 'a link is in its place in the worktree' }],
  })
  expect(filesIn(outside)).toEqual({})
})

test('a list that is a link is not followed', async () => {
  const [root, outside] = [await newRepository({ '.gitignore': '.env\n' }), await newDirectory()]
  put(root, { '.env': 'secret' })
  put(outside, { list: '.env\n' })
  symlinkSync(join(outside, 'list'), join(root, '.worktreeinclude'))
  const { copied, leftOut } = await copy(root)
  expect({ copied, leftOut }).toEqual({
    copied: 0,
    leftOut: [{ path: '.worktreeinclude', why: 'it is not a file' }],
  })
})

test('repositories, pipes and the like are left out', async () => {
  const root = await newRepository({ '.gitignore': '/d/\n', '.worktreeinclude': 'd/\n' })
  mkdirSync(join(root, 'd/nested'), { recursive: true })
  person(join(root, 'd/nested'), 'init', '-q')
  put(root, { 'd/nested/a': '1', 'd/file': '1' })
  commitAll(join(root, 'd/nested'))
  execFileSync('mkfifo', [join(root, 'd/pipe')])
  const { leftOut, to } = await copy(root)
  expect(filesIn(to)).toEqual({ 'd/file': '100644 1' })
  expect(leftOut.map(({ path }) => path)).toContain('d/nested/')
})

test('too much is left out as a whole, and the rest is copied', async () => {
  const root = await newRepository({ '.gitignore': '.env\n/data/\n', '.worktreeinclude': '.env\ndata/\n' })
  put(root, { '.env': 'secret', 'data/small': 'x', 'data/large': '' })
  truncateSync(join(root, 'data/large'), 2 ** 30 + 1)
  const { copied, leftOut, to } = await copy(root)
  expect(filesIn(to)).toEqual({ '.env': '100644 secret' })
  expect(copied).toBe(1)
  expect(leftOut).toEqual([{ path: 'data/', why: 'too much to copy: 2 files, 1,025 MB' }])
})

test('names are bytes', async () => {
  const root = await newRepository({ '.gitignore': '/d/\n', '.worktreeinclude': 'd/\n' })
  put(root, { 'd/ü "q"\n': '1' })
  symlinkSync(
    Buffer.from('caf\xe9', 'latin1'),
    Buffer.concat([Buffer.from(`${root}/d/`), Buffer.from('l\xe9', 'latin1')]),
  )
  const { copied, to } = await copy(root)
  expect(copied).toBe(2)
  expect(filesIn(join(to, 'd'))).toEqual(filesIn(join(root, 'd')))
  expect(lstatSync(join(to, 'd/ü "q"\n')).isFile()).toBe(true)
  expect(
    readlinkSync(Buffer.concat([Buffer.from(`${to}/d/`), Buffer.from('l\xe9', 'latin1')]), 'latin1'),
  ).toBe('caf\xe9')
})
