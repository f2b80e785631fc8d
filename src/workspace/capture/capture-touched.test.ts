import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findProject } from '../project.ts'
import { Shadow } from '../shadow/shadow.ts'
import {
  type Capture,
  capture,
  contentsOf,
  filesIn,
  newDirectory,
  newRepository,
  person,
  put,
} from '../testing/ground.ts'
import { captureFiles } from './capture-files.ts'

class Ground {
  readonly root: string
  readonly data: string
  last: Capture

  static async with(files: Readonly<Record<string, string>>, inGit = true): Promise<Ground> {
    const root = inGit ? await newRepository(files) : await newDirectory()
    if (!inGit) put(root, files)
    const data = await newDirectory('data')
    return new Ground(root, data, await capture(data, root))
  }

  private constructor(root: string, data: string, first: Capture) {
    this.root = root
    this.data = data
    this.last = first
  }

  async touched(paths: readonly string[], since = this.last.tree, largest = 1 << 30): Promise<Capture> {
    const project = await findProject(this.root)
    const shadow = await Shadow.open(this.data, project)
    const absolute = paths.map((path) => join(this.root, path))
    const files = await captureFiles(shadow, project, largest, { since, paths: absolute })
    this.last = { ...files, shadow }
    return this.last
  }
}

/** A file that nobody names: whoever finds it has scanned. */
const unnamed = 'nobody named this'

describe.each(['git project', 'directory without git'])('in a %s', (kind) => {
  const begin = (files: Readonly<Record<string, string>>) => Ground.with(files, kind === 'git project')

  test('only the touched files are looked at', async () => {
    const ground = await begin({ a: '1', b: '1' })
    put(ground.root, { a: '2', b: '2', [unnamed]: 'x' })
    expect(contentsOf(await ground.touched(['a']))).toEqual({ a: '100644 2', b: '100644 1' })
    expect(contentsOf(await capture(ground.data, ground.root))).toEqual(filesIn(ground.root))
  })

  test('what was written, deleted, made executable or a link is captured, as a scan would', async () => {
    const ground = await begin({ a: '1', 'd/b': '1', 'd/e/c': '1', run: '#!/bin/sh\n', f: '1' })
    put(ground.root, { a: '2', 'new/deep/file': 'x', 'd/b2': 'x' })
    rmSync(join(ground.root, 'd/e'), { recursive: true })
    rmSync(join(ground.root, 'f'))
    chmodSync(join(ground.root, 'run'), 0o755)
    symlinkSync('nowhere', join(ground.root, 'link'))
    const paths = ['a', 'new/deep/file', 'd/b2', 'd/e/c', 'f', 'run', 'link', 'never there', 'a']
    const captured = await ground.touched(paths)
    expect(contentsOf(captured)).toEqual(filesIn(ground.root))
    expect(captured.tree).toBe((await capture(await newDirectory('data'), ground.root)).tree)
  })

  test('one capture of touched files may follow another, and a scan both', async () => {
    const ground = await begin({ a: '1', b: '1' })
    for (const round of ['2', '3']) {
      put(ground.root, { a: round, [`new-${round}`]: round })
      expect(contentsOf(await ground.touched(['a', `new-${round}`]))).toEqual(filesIn(ground.root))
    }
    expect((await capture(ground.data, ground.root)).tree).toBe(ground.last.tree)
    rmSync(join(ground.root, 'new-2'))
    expect(contentsOf(await ground.touched(['new-2']))).toEqual(filesIn(ground.root))
    expect((await capture(ground.data, ground.root)).tree).toBe(ground.last.tree)
  })

  test('a touched file that is ignored is not captured', async () => {
    const ground = await begin({ '.gitignore': '*.log\n', a: '1' })
    put(ground.root, { 'x.log': 'x', 'd/y.log': 'y', b: '2', [unnamed]: 'x' })
    expect(Object.keys(contentsOf(await ground.touched(['x.log', 'd/y.log', 'b'])))).toEqual([
      '.gitignore',
      'a',
      'b',
    ])
  })

  test.each<[string, (ground: Ground) => Promise<readonly string[]> | readonly string[]]>([
    [
      'rules for ignoring files were touched',
      ({ root }) => {
        put(root, { 'd/.gitignore': 'x\n' })
        return ['d/.gitignore']
      },
    ],
    ['a path lies outside', () => ['../elsewhere']],
    [
      'a path lies beyond a link',
      async ({ root }) => {
        symlinkSync(await newDirectory(), join(root, 'link'))
        put(root, { 'link/x': 'x' })
        return ['link', 'link/x']
      },
    ],
    [
      'a directory became a file',
      ({ root }) => {
        rmSync(join(root, 'd'), { recursive: true })
        put(root, { d: 'x' })
        return ['d']
      },
    ],
    [
      'a directory was deleted',
      ({ root }) => {
        rmSync(join(root, 'd'), { recursive: true })
        return ['d']
      },
    ],
    [
      'a file became a directory',
      ({ root }) => {
        rmSync(join(root, 'a'))
        put(root, { 'a/x': 'x' })
        return ['a', 'a/x']
      },
    ],
    [
      'a path lies in a repository of its own',
      ({ root }) => {
        mkdirSync(join(root, 'nested'))
        person(join(root, 'nested'), 'init', '-q')
        put(root, { 'nested/x': 'x' })
        return ['nested/x']
      },
    ],
    [
      'there are many',
      ({ root }) => {
        const files = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`many/${i}`, 'x']))
        put(root, files)
        return Object.keys(files)
      },
    ],
  ])('everything is looked at when %s', async (_, touch) => {
    const ground = await begin({ a: '1', 'd/b': '1', 'd/c': '1' })
    const paths = await touch(ground)
    put(ground.root, { [unnamed]: 'x' })
    const captured = await ground.touched(paths)
    expect(captured).toMatchObject({
      tree: (await capture(await newDirectory('data'), ground.root)).tree,
    })
    expect(Object.keys(contentsOf(captured))).toContain(unnamed)
  })

  test('everything is looked at when the capture before is another than the last, or none is kept', async () => {
    const ground = await begin({ a: '1' })
    const { tree } = ground.last
    put(ground.root, { a: '2' })
    await capture(ground.data, ground.root)
    put(ground.root, { a: '3', [unnamed]: 'x' })
    expect(contentsOf(await ground.touched(['a'], tree))).toEqual(filesIn(ground.root))
    put(ground.root, { [`${unnamed} either`]: 'x' })
    rmSync(join(ground.last.shadow.directory, 'indexes'), { recursive: true })
    mkdirSync(join(ground.last.shadow.directory, 'indexes'))
    expect(contentsOf(await ground.touched(['a']))).toEqual(filesIn(ground.root))
  })

  test('everything is looked at when a touched file is too large, and it is named', async () => {
    const ground = await begin({ a: '1' })
    put(ground.root, { a: 'x'.repeat(101), [unnamed]: 'x' })
    const captured = await ground.touched(['a'], ground.last.tree, 100)
    expect(captured.missing).toEqual([{ path: 'a', why: 'too large' }])
    expect(Object.keys(contentsOf(captured))).toContain(unnamed)
    put(ground.root, { a: 'fits' })
    const next = await ground.touched(['a'], captured.tree, 100)
    expect(next.missing).toEqual([])
    expect(contentsOf(next)).toEqual(filesIn(ground.root))
  })

  test('what could not be captured before is still named', async () => {
    const ground = await begin({ a: '1' })
    mkdirSync(join(ground.root, 'nested'))
    person(join(ground.root, 'nested'), 'init', '-q')
    const { missing, tree } = await capture(ground.data, ground.root)
    put(ground.root, { a: '2', [unnamed]: 'x' })
    const captured = await ground.touched(['a'], tree)
    expect(captured.missing).toEqual(missing)
    expect(missing).toEqual([{ path: 'nested', why: 'nested repository' }])
    expect(contentsOf(captured)).toEqual({ a: '100644 2' })
  })
})

test('everything is looked at when other lists of what to ignore, or what is tracked, have changed', async () => {
  const ground = await Ground.with({ a: '1' })
  const list = join(await newDirectory('lists'), 'list')
  const changes = [
    () => put(ground.root, { '.git/info/exclude': 'no\n' }),
    () => person(ground.root, 'config', 'core.excludesFile', list),
    () => writeFileSync(list, 'neither\n'),
    () => person(ground.root, 'add', '-A'),
  ]
  for (const [i, change] of changes.entries()) {
    put(ground.root, { a: `again ${i}`, [`${unnamed} ${i}`]: 'x' })
    change()
    expect(contentsOf(await ground.touched(['a']))).toEqual(filesIn(ground.root))
  }
})

test('a tracked file that is ignored is captured when it is touched, deleted or made again', async () => {
  const ground = await Ground.with({ a: '1' })
  put(ground.root, { '.gitignore': '*.log\n', 'a.log': '1' })
  person(ground.root, 'add', '-f', 'a.log')
  expect(Object.keys(contentsOf(await ground.touched([])))).toContain('a.log')
  put(ground.root, { 'a.log': '2', 'b.log': 'x' })
  expect(contentsOf(await ground.touched(['a.log', 'b.log']))).toEqual({
    a: '100644 1',
    '.gitignore': '100644 *.log\n',
    'a.log': '100644 2',
  })
  rmSync(join(ground.root, 'a.log'))
  expect(Object.keys(contentsOf(await ground.touched(['a.log'])))).not.toContain('a.log')
  put(ground.root, { 'a.log': '3' })
  expect(contentsOf(await ground.touched(['a.log']))['a.log']).toBe('100644 3')
})
