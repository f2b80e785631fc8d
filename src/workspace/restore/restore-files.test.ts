import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { count } from '../../../test/support/size.ts'
import type { Missing } from '../../tree/snapshot.ts'
import { findProject } from '../project.ts'
import {
  type Capture,
  capture,
  commitAll,
  contentsOf,
  filesIn,
  fingerprint,
  newDirectory,
  newRepository,
  person,
  put,
} from '../testing/ground.ts'
import { kinds } from '../testing/history.ts'
import { applyRestore, treeForUndo } from './restore-files.ts'
import type { RestoreOptions } from './restore-plan.ts'
import { planRestore } from './restore-plan.ts'
import { pathsBetween } from './tree-entries.ts'

/** A project on disk, and what is asked of it. */
class Place {
  readonly root: string
  readonly data: string

  constructor(root: string, data: string) {
    this.root = root
    this.data = data
  }

  at = (path: string): string => join(this.root, path)
  read = (path: string): string => readFileSync(this.at(path), 'latin1')
  mode = (path: string): number => statSync(this.at(path)).mode & 0o777
  capture = (largest?: number): Promise<Capture> => capture(this.data, this.root, largest)

  async plan(
    to: { tree: string; missing?: readonly Missing[] },
    options: RestoreOptions = {},
    largest?: number,
  ) {
    const { shadow, ...from } = await this.capture(largest)
    const project = await findProject(this.root)
    const plan = await planRestore(shadow, project, from, { missing: [], ...to }, options)
    return {
      ...plan,
      undo: () => treeForUndo(shadow, project, from, plan),
      apply: () => applyRestore(shadow, project, plan),
    }
  }

  /** All of it, with the way back. */
  async restore(
    to: { tree: string; missing?: readonly Missing[] },
    options: RestoreOptions = {},
    largest?: number,
  ) {
    const { shadow } = await this.capture()
    const { changes, left, undo, apply } = await this.plan(to, options, largest)
    const tree = await undo()
    expect(await apply()).toEqual([])
    const back = async () => {
      const only = await pathsBetween(shadow, tree, to.tree)
      const plan = await this.plan({ tree }, { exact: true, only }, largest)
      expect(await plan.apply()).toEqual([])
    }
    return { changes, left, back }
  }
}

const inRepository = async (files?: Readonly<Record<string, string>>, ...init: readonly string[]) =>
  new Place(await newRepository(files, ...init), await newDirectory('data'))

const inDirectory = async (files: Readonly<Record<string, string>>) => {
  const root = await newDirectory()
  put(root, files)
  return new Place(root, await newDirectory('data'))
}

describe.each(kinds)('in a %s', (kind) => {
  const newPlace = (files: Readonly<Record<string, string>>) =>
    kind === 'git project' ? inRepository(files) : inDirectory(files)

  test('a restore lists and does what differs: written, changed and deleted files', async () => {
    const place = await newPlace({ same: '1', changed: '2', 'gone/deep/a': '3' })
    const then = await place.capture()
    const before = filesIn(place.root)
    put(place.root, { changed: 'x', 'later/deep/b': 'y' })
    rmSync(place.at('gone'), { recursive: true })
    const now = filesIn(place.root)
    const { changes, left, back } = await place.restore(then)
    expect(changes).toEqual([
      { path: 'changed', change: 'changed' },
      { path: 'gone/deep/a', change: 'added' },
      { path: 'later/deep/b', change: 'deleted' },
    ])
    expect(left).toEqual([])
    expect(filesIn(place.root)).toEqual(before)
    expect((await place.capture()).tree).toBe(then.tree)
    await back()
    expect(filesIn(place.root)).toEqual(now)
  })

  test('files that were created later are deleted, and directories that become empty by that; others stay', async () => {
    const place = await newPlace({ a: '1' })
    mkdirSync(place.at('empty'))
    mkdirSync(place.at('both/empty'), { recursive: true })
    const then = await place.capture()
    put(place.root, { 'new/deep/file': 'x', 'both/file': 'y' })
    await place.restore(then)
    expect(existsSync(place.at('new'))).toBe(false)
    expect(readdirSync(place.at('empty'))).toEqual([])
    expect(readdirSync(place.at('both'))).toEqual(['empty'])
  })

  test('only files that differ are touched', async () => {
    const place = await newPlace({ same: '1', other: '2', 'd/mode': '3' })
    const then = await place.capture()
    put(place.root, { other: 'x' })
    chmodSync(place.at('d/mode'), 0o755)
    const stats = () => ['same', 'd/mode'].map((path) => lstatSync(place.at(path)))
    const before = stats().map(({ ino, mtimeMs }) => ({ ino, mtimeMs }))
    await place.restore(then)
    // Where only the right to execute differs, nothing is written either.
    expect(stats().map(({ ino, mtimeMs }) => ({ ino, mtimeMs }))).toEqual(before)
    expect(place.mode('d/mode') & 0o111).toBe(0)
    expect((await place.plan(then)).changes).toEqual([])
  })

  test('bytes, exec bits, symlinks and names of any bytes are restored exactly', async () => {
    const place = await newPlace({ '.gitattributes': '* text=auto\n', crlf: 'a\r\nb\n' })
    const odd = Buffer.concat([Buffer.from(`${place.root}/`), Buffer.from('\xff\xfe', 'latin1')])
    writeFileSync(odd, Buffer.from([0, 255, 13, 10]))
    put(place.root, { 'n\nl': 'x', ':(top)x': 'y', '-d/"q"': 'z', run: '#!/bin/sh\n' })
    chmodSync(place.at('run'), 0o755)
    symlinkSync('../nowhere', place.at('link'))
    const then = await place.capture()
    const before = filesIn(place.root)
    for (const name of readdirSync(place.root))
      if (name !== '.git') rmSync(place.at(name), { recursive: true, force: true })
    rmSync(odd)
    put(place.root, { link: 'a file', '*': 'new', '?\n': 'new' })
    symlinkSync('a', place.at('crlf'))
    await place.restore(then)
    expect(filesIn(place.root)).toEqual(before)
  })

  test('rights that are tighter than usual stay; only those to execute follow the snapshot', async () => {
    const place = await newPlace({ secret: '1', run: '2' })
    chmodSync(place.at('run'), 0o700)
    const then = await place.capture()
    put(place.root, { secret: 'x', run: 'y' })
    chmodSync(place.at('secret'), 0o700)
    chmodSync(place.at('run'), 0o640)
    await place.restore(then)
    expect([place.read('secret'), place.mode('secret')]).toEqual(['1', 0o600])
    expect([place.read('run'), place.mode('run')]).toEqual(['2', 0o750])
  })

  test('files and directories change places', async () => {
    const place = await newPlace({ a: 'file', 'd/e/f': 'deep', keep: '1' })
    const then = await place.capture()
    const before = filesIn(place.root)
    for (const path of ['a', 'd']) rmSync(place.at(path), { recursive: true })
    put(place.root, { 'a/b/c': 'now a directory', d: 'now a file' })
    mkdirSync(place.at('a/empty'))
    const now = filesIn(place.root)
    const { back } = await place.restore(then)
    expect(filesIn(place.root)).toEqual(before)
    await back()
    expect(filesIn(place.root)).toEqual(now)
  })

  test('a directory that is a link now is replaced, and nothing is written through it', async () => {
    const place = await newPlace({ 'd/a': '1', 'd/deep/b': '2' })
    const then = await place.capture()
    const outside = await newDirectory('outside')
    put(outside, { a: 'theirs', 'deep/b': 'theirs' })
    const theirs = fingerprint(outside)
    for (const link of ['d', 'd/deep']) {
      rmSync(place.at(link), { recursive: true })
      symlinkSync(link === 'd' ? outside : join(outside, 'deep'), place.at(link))
      const { back } = await place.restore(then)
      expect(filesIn(place.root)).toEqual({ 'd/a': '100644 1', 'd/deep/b': '100644 2' })
      await back()
      expect(readlinkSync(place.at(link))).toContain(outside)
      await place.restore(then)
    }
    expect(fingerprint(outside)).toEqual(theirs)
  })

  test('a directory that somebody replaces by a link after planning is not followed', async () => {
    const place = await newPlace({ 'd/a': '1', 'e/b': '1', 'f/c': '1' })
    const then = await place.capture()
    put(place.root, { 'd/a': 'x', 'e/new': 'y' })
    rmSync(place.at('f/c'))
    const outside = await newDirectory('outside')
    const plan = await place.plan(then)
    for (const name of ['d', 'e', 'f']) {
      renameSync(place.at(name), join(outside, name))
      symlinkSync(join(outside, name), place.at(name))
    }
    const theirs = fingerprint(outside)
    expect((await plan.apply()).map(({ path, why }) => `${path} ${why}`).toSorted()).toEqual([
      'd/a changed meanwhile',
      'e/new changed meanwhile',
      'f/c changed meanwhile',
    ])
    expect(fingerprint(outside)).toEqual(theirs)
  })

  test('files that the snapshot ignored were perhaps there: they stay, and are named', async () => {
    const place = await newPlace({ '.gitignore': '*.log\nbuild/\n', 'sub/.gitignore': '!keep.log\n', a: '1' })
    put(place.root, { 'x.log': 'then' })
    const then = await place.capture()
    rmSync(place.at('.gitignore'))
    put(place.root, { 'y.log': 'new', 'build/out': 'new', 'sub/keep.log': 'new', other: 'new' })
    const { left, changes } = await place.restore(then)
    expect(left).toEqual([
      { path: 'build/out', why: 'ignored then' },
      { path: 'x.log', why: 'ignored then' },
      { path: 'y.log', why: 'ignored then' },
    ])
    expect(changes).toEqual([
      { path: '.gitignore', change: 'added' },
      { path: 'other', change: 'deleted' },
      { path: 'sub/keep.log', change: 'deleted' },
    ])
    expect(place.read('x.log')).toBe('then')
  })

  test('with exact, what is not in the snapshot goes, whatever it ignored', async () => {
    const place = await newPlace({ '.gitignore': '*.log\n', a: '1' })
    const then = await place.capture()
    put(place.root, { '.gitignore': '', 'x.log': 'new' })
    const { left } = await place.restore(then, { exact: true })
    expect(left).toEqual([])
    expect(existsSync(place.at('x.log'))).toBe(false)
  })

  test('with exact and only, the files that are listed go also when they are ignored now', async () => {
    const place = await newPlace({ '.gitignore': '*.log\n', a: '1' })
    const then = await place.capture()
    put(place.root, { 'x.log': 'new', 'y.log': 'new' })
    const { changes, back } = await place.restore(then, {
      exact: true,
      only: new Set(['x.log', 'a', 'none']),
    })
    expect(changes).toEqual([{ path: 'x.log', change: 'deleted' }])
    expect(place.read('y.log')).toBe('new')
    await back()
    expect(place.read('x.log')).toBe('new')
  })

  test('files that are ignored now and were not then go too, and come back with the undo', async () => {
    const place = await newPlace({ a: '1', kept: 'then' })
    const then = await place.capture()
    put(place.root, { '.gitignore': 'modules/\n/kept\n', 'modules/m/index.js': 'm', kept: 'now' })
    if (kind === 'git project') person(place.root, 'rm', '-q', '--cached', 'kept')
    const now = filesIn(place.root)
    const { changes, back } = await place.restore(then)
    expect(changes).toEqual([
      { path: '.gitignore', change: 'deleted' },
      { path: 'kept', change: 'changed' },
      { path: 'modules/m/index.js', change: 'deleted' },
    ])
    expect(filesIn(place.root)).toEqual({ a: '100644 1', kept: '100644 then' })
    await back()
    expect(filesIn(place.root)).toEqual(now)
  })

  test('what a .gitignore ignores that ignores itself was perhaps there, and stays', async () => {
    const place = await newPlace({ a: '1' })
    put(place.root, { 'env/.gitignore': '*\n', 'env/bin/python': 'p' })
    const then = await place.capture()
    put(place.root, { '.gitignore': '*.log\n', 'x.log': 'new' })
    const { changes } = await place.restore(then)
    expect(changes.map(({ path }) => path)).toEqual(['.gitignore', 'x.log'])
    expect(place.read('env/bin/python')).toBe('p')
  })

  test('an ignored file that is already as in the snapshot is not touched', async () => {
    const place = await newPlace({ a: '1', b: '2' })
    const then = await place.capture()
    put(place.root, { '.gitignore': '/b\n' })
    if (kind === 'git project') person(place.root, 'rm', '-q', '--cached', 'b')
    const { changes, back } = await place.restore(then)
    expect(changes).toEqual([{ path: '.gitignore', change: 'deleted' }])
    // And it is not taken for one that the restore brought.
    await back()
    expect(place.read('b')).toBe('2')
  })

  test('what could not be captured then is neither deleted nor overwritten', async () => {
    const place = await newPlace({ a: '1', 'big/file': 'small' })
    put(place.root, { 'big/file': 'x'.repeat(2000), nested: 'x' })
    const then = await place.capture(1000)
    expect(then.missing.map(({ path }) => path)).toEqual(['big/file'])
    put(place.root, { 'big/file': 'small again', 'dir/file': 'new' })
    const missing: readonly Missing[] = [...then.missing, { path: 'dir', why: 'nested repository' }]
    const { left, changes } = await place.restore({ tree: then.tree, missing })
    expect(left).toEqual([
      { path: 'big/file', why: 'not captured then' },
      { path: 'dir', why: 'not captured then' },
    ])
    expect(changes).toEqual([])
    expect([place.read('big/file'), place.read('dir/file')]).toEqual(['small again', 'new'])
  })

  test('where a .gitignore could not be captured, nothing near it is proven to be new', async () => {
    const place = await newPlace({ a: '1', 'd/b': '1' })
    const then = await place.capture()
    put(place.root, { 'd/new': 'x', new: 'y' })
    const missing = [{ path: 'd/.gitignore', why: 'changing' as const }]
    const { changes, left } = await place.restore({ tree: then.tree, missing })
    expect(changes).toEqual([{ path: 'new', change: 'deleted' }])
    expect(left).toContainEqual({ path: 'd/new', why: 'not captured then' })
  })

  test('what cannot be captured now is left alone: no snapshot would hold it', async () => {
    const place = await newPlace({ a: '1', b: '1' })
    const then = await place.capture()
    put(place.root, { a: 'x'.repeat(2000), new: 'y'.repeat(2000), b: '2' })
    const { left, changes } = await place.restore(then, {}, 1000)
    expect(left).toEqual([
      { path: 'a', why: 'not captured now' },
      { path: 'new', why: 'not captured now' },
    ])
    expect(changes).toEqual([{ path: 'b', change: 'changed' }])
    expect(place.read('a')).toHaveLength(2000)
  })

  test('where a capture names what it does not have, its tree says nothing about that', async () => {
    const place = await newPlace({ a: '1', 'd/b': '1', c: '1' })
    const then = await place.capture()
    put(place.root, { a: '2', 'd/b': '2', 'd/new': '2', c: '2' })
    const { shadow, tree } = await place.capture()
    const missing: readonly Missing[] = [
      { path: 'a', why: 'changing' },
      { path: 'd', why: 'unreadable' },
    ]
    const { changes } = await planRestore(shadow, await findProject(place.root), { tree, missing }, then)
    expect(changes).toEqual([{ path: 'c', change: 'changed' }])
  })

  test('what was not captured then and is ignored now is left alone by the undo too', async () => {
    const place = await newPlace({ a: '1', big: 'small' })
    await place.capture()
    put(place.root, { big: 'x'.repeat(2000) })
    const then = await place.capture(1000)
    put(place.root, { '.gitignore': '/big\n', big: 'mine' })
    if (kind === 'git project') person(place.root, 'rm', '-q', '--cached', 'big')
    const now = filesIn(place.root)
    const { left, back } = await place.restore(then)
    expect(left).toEqual([{ path: 'big', why: 'not captured then' }])
    await back()
    expect(filesIn(place.root)).toEqual(now)
  })

  test('an ignored file that is too large to keep is left alone', async () => {
    const place = await newPlace({ 'data.bin': '1', a: '1' })
    const then = await place.capture()
    put(place.root, { '.gitignore': '*.bin\n', 'data.bin': '', 'more.bin': '' })
    if (kind === 'git project') person(place.root, 'rm', '-q', '--cached', 'data.bin')
    for (const name of ['data.bin', 'more.bin']) truncateSync(place.at(name), 101 * 1024 * 1024)
    const { left } = await place.restore(then)
    expect(left).toEqual([
      { path: 'data.bin', why: 'not captured now' },
      { path: 'more.bin', why: 'not captured now' },
    ])
    expect(statSync(place.at('data.bin')).size).toBe(101 * 1024 * 1024)
    expect(existsSync(place.at('.gitignore'))).toBe(false)
  })

  test('a directory with a repository inside stays where a file should be, with all that is in it', async () => {
    const place = await newPlace({ a: '1', b: '1' })
    const then = await place.capture()
    rmSync(place.at('a'))
    put(place.root, { 'a/file': 'x', 'a/deep/nested/f': 'y', b: '2' })
    person(place.at('a/deep/nested'), 'init', '-q')
    const nested = fingerprint(place.at('a'))
    const { left, changes } = await place.restore(then)
    expect(left).toEqual([
      { path: 'a', why: 'in the way' },
      { path: 'a/deep/nested', why: 'not captured now' },
    ])
    expect(changes).toEqual([{ path: 'b', change: 'changed' }])
    expect(fingerprint(place.at('a'))).toEqual(nested)
  })

  test('.git of any kind is never touched, also one that is no repository', async () => {
    const place = await newPlace({ a: '1', b: '1' })
    const then = await place.capture()
    for (const path of ['a', 'b']) rmSync(place.at(path))
    mkdirSync(place.at('a/deep/.git'), { recursive: true })
    put(place.root, { 'b/deep/.git': 'gitdir: nowhere\n' })
    const { left, changes } = await place.restore(then)
    expect(changes).toEqual([])
    expect(left.map(({ path }) => path)).toEqual(expect.arrayContaining(['a', 'b']))
    expect(readdirSync(place.at('a/deep'))).toEqual(['.git'])
    expect(place.read('b/deep/.git')).toBe('gitdir: nowhere\n')
  })

  test('a directory with ignored files stands where a file should be: they are kept for the undo', async () => {
    const place = await newPlace({ '.gitignore': '*.log\n', a: '1' })
    const then = await place.capture()
    rmSync(place.at('a'))
    put(place.root, { 'a/x.log': 'ignored', 'a/y': 'captured' })
    const now = filesIn(place.root)
    const { back } = await place.restore(then)
    expect(place.read('a')).toBe('1')
    await back()
    expect(filesIn(place.root)).toEqual(now)
  })

  test('a pipe in the way stays', async () => {
    const place = await newPlace({ a: '1', 'd/b': '1' })
    const then = await place.capture()
    for (const path of ['a', 'd']) {
      rmSync(place.at(path), { recursive: true })
      execFileSync('mkfifo', [place.at(path)])
    }
    const { left, changes } = await place.restore(then)
    // The first is one of those that the capture names itself.
    expect(left).toEqual([
      { path: 'a', why: 'not captured now' },
      { path: 'd', why: 'in the way' },
    ])
    expect(changes).toEqual([])
  })

  test('a nested repository that was made since is left alone', async () => {
    const place = await newPlace({ a: '1' })
    const then = await place.capture()
    put(place.root, { 'nested/f': 'x' })
    person(place.at('nested'), 'init', '-q')
    const before = fingerprint(place.at('nested'))
    const { left } = await place.restore(then)
    expect(left).toEqual([{ path: 'nested', why: 'not captured now' }])
    expect(fingerprint(place.at('nested'))).toEqual(before)
  })

  test('with only, all other files are left alone', async () => {
    const place = await newPlace({ a: '1', b: '1', 'd/c': '1' })
    const then = await place.capture()
    put(place.root, { a: 'x', b: 'x', new: 'x', newer: 'x' })
    rmSync(place.at('d'), { recursive: true })
    put(place.root, { d: 'in the way' })
    const { changes, left } = await place.restore(then, { only: new Set(['a', 'new', 'd/c']) })
    expect(changes).toEqual([
      { path: 'a', change: 'changed' },
      { path: 'new', change: 'deleted' },
    ])
    expect(left).toEqual([{ path: 'd', why: 'in the way' }])
    expect([place.read('b'), place.read('newer'), place.read('d')]).toEqual(['x', 'x', 'in the way'])
  })

  test('what somebody writes after planning is not lost', async () => {
    const place = await newPlace({ changed: '1', gone: '1', 'dir/a': '1', file: '1' })
    const then = await place.capture()
    put(place.root, { changed: 'x', deleted: 'x', 'new/file': 'x' })
    for (const path of ['gone', 'file']) rmSync(place.at(path))
    put(place.root, { 'file/in': 'x' })
    const plan = await place.plan(then)
    put(place.root, { changed: 'y', deleted: 'longer', gone: 'theirs', 'new/more': 'z', 'file/more': 'z' })
    expect(await plan.apply()).toEqual([
      { path: 'deleted', why: 'changed meanwhile' },
      { path: 'changed', why: 'changed meanwhile' },
      { path: 'file', why: 'changed meanwhile' },
      { path: 'gone', why: 'changed meanwhile' },
    ])
    expect(['changed', 'deleted', 'gone', 'new/more', 'file/more'].map(place.read)).toEqual([
      'y',
      'longer',
      'theirs',
      'z',
      'z',
    ])
  })

  test('what somebody writes between capture and plan is in the tree for the undo', async () => {
    const place = await newPlace({ a: '1' })
    const then = await place.capture()
    put(place.root, { a: 'captured' })
    const { shadow, ...from } = await place.capture()
    put(place.root, { a: 'written since' })
    const project = await findProject(place.root)
    const plan = await planRestore(shadow, project, from, then)
    const undo = await treeForUndo(shadow, project, from, plan)
    expect(contentsOf({ shadow, tree: undo })).toEqual({ a: '100644 written since' })
  })

  test('a snapshot that lost an object fails before anything is touched', async () => {
    const place = await newPlace({ a: 'blob', 'd/b': 'in a tree', 'e/.gitignore': '*.x\n' })
    const then = await place.capture()
    rmSync(place.at('a'))
    rmSync(place.at('d'), { recursive: true })
    put(place.root, { 'new/file': 'x', 'e/.gitignore': '*.y\n', 'e/f.x': 'y' })
    const before = filesIn(place.root)
    const git = (...args: string[]) =>
      execFileSync('git', ['--git-dir', then.shadow.directory, ...args], { encoding: 'utf8' }).trim()
    for (const name of ['a', 'd', 'd/b', 'e/.gitignore', '']) {
      const id = git('rev-parse', `${then.tree}:${name}`)
      const object = join(then.shadow.directory, 'objects', id.slice(0, 2), id.slice(2))
      renameSync(object, `${object}.away`)
      await expect(place.plan(then)).rejects.toMatchObject({ code: 'snapshot_failed' })
      renameSync(`${object}.away`, object)
      expect(filesIn(place.root)).toEqual(before)
    }
    const plan = await place.plan(then)
    const id = git('rev-parse', `${then.tree}:a`)
    rmSync(join(then.shadow.directory, 'objects', id.slice(0, 2), id.slice(2)))
    await expect(plan.apply()).rejects.toMatchObject({ code: 'snapshot_failed' })
    expect(filesIn(place.root)).toEqual(before)
  })

  test('nothing of ours stays in the project or beside it', async () => {
    const place = await newPlace({ a: '1', b: '1', '.gitignore': 'x\n' })
    const then = await place.capture()
    put(place.root, { a: '2', c: '2', '.gitignore': 'y\n', y: '2' })
    const { shadow } = await place.capture()
    const before = readdirSync(join(shadow.directory, 'indexes'))
    await place.restore(then)
    expect(readdirSync(join(shadow.directory, 'indexes'))).toEqual(before)
    expect(readdirSync(join(shadow.directory, 'staging'))).toEqual([])
    expect(readdirSync(place.root).filter((name) => name !== '.git')).toEqual(['.gitignore', 'a', 'b'])
  })

  test("bough's own data in the project stays, also where a file should be", async () => {
    const root = (await newPlace({ a: '1', own: 'a file then' })).root
    const elsewhere = new Place(root, await newDirectory('data'))
    const { tree, shadow } = await elsewhere.capture()
    rmSync(join(root, 'own'))
    mkdirSync(join(root, 'own'))
    const place = new Place(root, join(root, 'own'))
    await place.capture()
    const objects = join((await place.capture()).shadow.directory, 'objects')
    for (const name of readdirSync(join(shadow.directory, 'objects'))) {
      if (!existsSync(join(objects, name)) || name === 'pack') {
        cpSync(join(shadow.directory, 'objects', name), join(objects, name), { recursive: true })
      }
    }
    const { left } = await place.restore({ tree })
    expect(left).toEqual([{ path: 'own', why: 'in the way' }])
    expect(existsSync(objects)).toBe(true)
  })
})

test('thousands of changed files are restored', async () => {
  const numbers = Array.from({ length: count(10_000, 1000) }, (_, i) => i)
  const place = await inDirectory({ a: '1' })
  put(place.root, Object.fromEntries(numbers.map((i) => [`d${i % 50}/f${i}`, String(i)])))
  const then = await place.capture()
  const before = filesIn(place.root)
  rmSync(place.at('d1'), { recursive: true })
  put(place.root, Object.fromEntries(numbers.map((i) => [`d${i % 50}/f${i + (i % 3)}`, 'changed'])))
  const { left } = await place.restore(then)
  expect(left).toEqual([])
  expect(filesIn(place.root)).toEqual(before)
})

test("the person's repository is byte-identical before and after", async () => {
  const place = await inRepository({ a: '1', 'd/b': '2', '.gitattributes': '* text=auto\n', crlf: 'a\n' })
  put(place.root, { a: 'staged' })
  person(place.root, 'add', 'a')
  const then = await place.capture()
  put(place.root, { a: 'changed', new: 'x', crlf: 'a\r\n' })
  rmSync(place.at('d/b'))
  const before = fingerprint(place.at('.git'))
  const { back } = await place.restore(then)
  await back()
  expect(fingerprint(place.at('.git'))).toEqual(before)
})

test('a submodule is never changed; it is named when it differs', async () => {
  const place = await inRepository()
  const library = await newRepository({ l: '1' })
  person(place.root, 'submodule', '--quiet', 'add', library, 'lib')
  commitAll(place.root)
  const then = await place.capture()
  put(place.root, { 'lib/l': '2' })
  commitAll(place.at('lib'))
  put(place.root, { 'a.txt': 'changed' })
  const before = [fingerprint(place.at('lib')), fingerprint(place.at('.git'))]
  const { left, changes } = await place.restore(then)
  expect(left).toEqual([{ path: 'lib', why: 'submodule' }])
  expect(changes).toEqual([{ path: 'a.txt', change: 'changed' }])
  expect([fingerprint(place.at('lib')), fingerprint(place.at('.git'))]).toEqual(before)
})

test('files that stand where a submodule was, or the other way round, are left alone', async () => {
  const place = await inRepository({ a: '1' })
  person(place.root, 'submodule', '--quiet', 'add', await newRepository({ l: '1' }), 'lib')
  commitAll(place.root)
  const withSubmodule = await place.capture()
  const submodule = fingerprint(place.at('lib'))
  // A new index of ours starts from the person's own, and knows whether there is a submodule.
  const startAgain = () => {
    rmSync(join(withSubmodule.shadow.directory, 'indexes'), { recursive: true })
    mkdirSync(join(withSubmodule.shadow.directory, 'indexes'))
  }
  renameSync(place.at('lib'), place.at('../aside-lib'))
  person(place.root, 'rm', '-q', '--cached', 'lib')
  put(place.root, { 'lib/new': 'x' })
  startAgain()
  const withFiles = await place.capture()
  expect((await place.restore(withSubmodule)).left).toEqual([{ path: 'lib', why: 'submodule' }])
  expect(place.read('lib/new')).toBe('x')
  rmSync(place.at('lib'), { recursive: true })
  renameSync(place.at('../aside-lib'), place.at('lib'))
  person(place.root, 'reset', '-q')
  startAgain()
  expect((await place.restore(withFiles)).left).toEqual([{ path: 'lib', why: 'submodule' }])
  expect(fingerprint(place.at('lib'))).toEqual(submodule)
})

test('a directory whose files were captured and that is a repository of its own now is left alone', async () => {
  const place = await inRepository({ 'lib/old': '1', 'lib/deep/f': '1', a: '1' })
  const then = await place.capture()
  rmSync(place.at('lib'), { recursive: true })
  person(place.root, 'clone', '-q', await newRepository({ l: '1', 'deep/f': '2' }), 'lib')
  const nested = fingerprint(place.at('lib'))
  for (const options of [{}, { exact: true, only: new Set(['lib/l', 'lib/old', 'lib/deep/f']) }]) {
    const { left, changes } = await place.restore(then, options)
    expect(left.map(({ path }) => path)).toContain('lib')
    expect(changes).toEqual([])
    expect(fingerprint(place.at('lib'))).toEqual(nested)
  }
})

test('committed files are restored from a snapshot after the person moved to another commit', async () => {
  const place = await inRepository({ a: '1', b: '1' })
  const then = await place.capture()
  person(place.root, 'rm', '-q', 'b')
  put(place.root, { a: '2', c: '2' })
  commitAll(place.root)
  await place.restore(then)
  expect(filesIn(place.root)).toEqual({ a: '100644 1', b: '100644 1' })
  expect(person(place.root, 'log', '--oneline').trim().split('\n')).toHaveLength(2)
})

test('files that a sparse checkout leaves out stay out, and are named when they differ', async () => {
  const place = await inRepository({ 'in/a': '1', 'out/b': '1' })
  const then = await place.capture()
  put(place.root, { 'out/b': '2', 'in/a': '2' })
  commitAll(place.root)
  person(place.root, 'sparse-checkout', 'set', 'in')
  const { left, changes } = await place.restore(then)
  expect(left).toEqual([{ path: 'out/b', why: 'not checked out' }])
  expect(changes).toEqual([{ path: 'in/a', change: 'changed' }])
  expect(existsSync(place.at('out'))).toBe(false)
})

test('in a linked worktree its own files are restored', async () => {
  const main = await inRepository({ a: '1' })
  const root = join(await newDirectory('linked'), 'tree')
  person(main.root, 'worktree', 'add', '-q', root)
  const place = new Place(root, main.data)
  const then = await place.capture()
  put(root, { a: '2', new: '2' })
  await place.restore(then)
  expect(filesIn(root)).toEqual({ a: '100644 1' })
  expect(readFileSync(join(root, '.git'), 'utf8')).toContain('gitdir:')
})

const rooms = ['/dev/shm', '/tmp'].filter(existsSync)

test.runIf(rooms.length === 2)(
  'on another file system than the data, files are restored as well',
  async () => {
    const place = new Place(await newDirectory(), await mkdtemp('/dev/shm/bough-data-'))
    try {
      put(place.root, { a: '1', run: '#!/bin/sh\n', 'd/b': '1' })
      chmodSync(place.at('run'), 0o755)
      symlinkSync('nowhere', place.at('link'))
      const then = await place.capture()
      const before = filesIn(place.root)
      put(place.root, { a: '2', new: '2' })
      for (const path of ['run', 'd', 'link']) rmSync(place.at(path), { recursive: true })
      put(place.root, { link: 'a file' })
      chmodSync(place.at('a'), 0o600)
      await place.restore(then)
      expect(filesIn(place.root)).toEqual(before)
      expect(place.mode('a')).toBe(0o600)
    } finally {
      rmSync(place.data, { recursive: true })
    }
  },
)

test('what must not be written to is left and named, the rest is restored', async () => {
  const place = await inDirectory({ 'shut/a': '1', 'shut/c': '1', b: '1' })
  const then = await place.capture()
  put(place.root, { 'shut/a': '2', 'shut/new': '2', b: '2' })
  rmSync(place.at('shut/c'))
  chmodSync(place.at('shut'), 0o555)
  const [program = '', ...args] = [
    ...withoutPrivileges(),
    process.execPath,
    new URL('../testing/restore-worker.ts', import.meta.url).pathname,
    ...[place.data, place.root, then.tree],
  ]
  const output = execFileSync(program, args, { encoding: 'utf8' })
  chmodSync(place.at('shut'), 0o755)
  expect(JSON.parse(output.split('\n')[1] ?? '').late).toEqual([
    { path: 'shut/new', why: 'not writable' },
    { path: 'shut/a', why: 'not writable' },
    { path: 'shut/c', why: 'not writable' },
  ])
  expect([place.read('shut/a'), place.read('b')]).toEqual(['2', '1'])
})

test('what cannot be read is left and named, the rest is restored', async () => {
  const place = await inDirectory({ secret: '1', 'shut/a': '1', b: '1' })
  const then = await place.capture()
  put(place.root, { '.gitignore': 'secret\nshut\n', secret: '2', 'shut/a': '2', b: '2' })
  chmodSync(place.at('secret'), 0)
  chmodSync(place.at('shut'), 0)
  const [program = '', ...args] = [
    ...withoutPrivileges(),
    process.execPath,
    new URL('../testing/restore-worker.ts', import.meta.url).pathname,
    ...[place.data, place.root, then.tree],
  ]
  const output = execFileSync(program, args, { encoding: 'utf8' })
  for (const path of ['secret', 'shut']) chmodSync(place.at(path), 0o755)
  const { planned, late } = JSON.parse(output.split('\n')[1] ?? '')
  expect(late).toEqual([])
  expect(planned).toEqual([
    { path: 'secret', why: 'not captured now' },
    { path: 'shut/a', why: 'in the way' },
  ])
  expect(filesIn(place.root)).toMatchObject({ secret: '100755 2', 'shut/a': '100644 2', b: '100644 1' })
})

// root may read and write everything.
function withoutPrivileges(): readonly string[] {
  if (process.getuid?.() !== 0) return []
  const rights = '-dac_override,-dac_read_search,-fowner'
  return ['setpriv', `--bounding-set=${rights}`, `--inh-caps=${rights}`]
}
