import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findProject } from '../project.ts'
import { Shadow } from '../shadow/shadow.ts'
import {
  type Capture,
  capture,
  commitAll,
  contentsOf,
  filesIn,
  newDirectory,
  newRepository,
  person,
  put,
  worker,
} from '../testing/ground.ts'

/** That a capture holds exactly what is on disk. */
function expectWhole(captured: Capture, root: string): void {
  expect(captured.missing).toEqual([])
  expect(contentsOf(captured)).toEqual(filesIn(root))
}

const latin1 = (root: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')])

describe.each(['git project', 'directory without git'])('in a %s', (kind) => {
  const newProject = (files: Readonly<Record<string, string>>) =>
    kind === 'git project'
      ? newRepository(files)
      : newDirectory().then((root) => {
          put(root, files)
          return root
        })

  test('tracked and untracked files, changes and deletions are captured', async () => {
    const [data, root] = [await newDirectory('data'), await newProject({ a: '1', 'd/b': '2', 'd/e/c': '3' })]
    expectWhole(await capture(data, root), root)
    put(root, { a: 'changed', 'new/file': 'new', empty: '' })
    rmSync(join(root, 'd/e'), { recursive: true })
    expectWhole(await capture(data, root), root)
    rmSync(join(root, 'a'))
    expectWhole(await capture(data, root), root)
  })

  test('symlink, exec bit: kept', async () => {
    const [data, root] = [await newDirectory('data'), await newProject({ run: '#!/bin/sh\n', file: 'x' })]
    chmodSync(join(root, 'run'), 0o755)
    symlinkSync('../nowhere', join(root, 'link'))
    const first = await capture(data, root)
    expectWhole(first, root)
    expect(contentsOf(first)).toMatchObject({ run: '100755 #!/bin/sh\n', link: '120000 ../nowhere' })
    chmodSync(join(root, 'run'), 0o644)
    chmodSync(join(root, 'file'), 0o700)
    expectWhole(await capture(data, root), root)
  })

  test('binary files and line ends are captured byte for byte', async () => {
    const [data, root] = [await newDirectory('data'), await newProject({ a: 'x' })]
    put(root, {
      binary: Buffer.from([0, 255, 13, 10, 0]),
      crlf: 'a\r\nb\nc\r',
      '.gitattributes': '* text=auto\n',
    })
    expectWhole(await capture(data, root), root)
  })

  test('names with newlines, quotes, invalid UTF-8 and leading dashes are captured', async () => {
    const [data, root] = [await newDirectory('data'), await newProject({ a: 'x' })]
    const names = [
      'new\nline',
      '"quo\'ted"',
      '\xff\xfe',
      '--force',
      '-',
      ' ',
      'git~1',
      ':0:x',
      '0:a',
      '*',
      'back\\slash',
    ]
    for (const name of names) writeFileSync(latin1(root, name), name)
    const captured = await capture(data, root)
    expectWhole(captured, root)
    expect(Object.keys(contentsOf(captured))).toEqual(expect.arrayContaining(names))
    for (const name of names) rmSync(latin1(root, name))
    expectWhole(await capture(data, root), root)
  })

  test('a file may become a directory, and a directory a file', async () => {
    const [data, root] = [await newDirectory('data'), await newProject({ a: '1', 'd/b': '2', 'd/c': '3' })]
    await capture(data, root)
    rmSync(join(root, 'a'))
    rmSync(join(root, 'd'), { recursive: true })
    put(root, { 'a/x': '4', 'a/y/z': '5', d: '6' })
    expectWhole(await capture(data, root), root)
  })

  test('a file may become a link, and a directory a link to another with the same names', async () => {
    const files = { a: '1', 'd/b': '2', 'other/b': '3' }
    const [data, root] = [await newDirectory('data'), await newProject(files)]
    await capture(data, root)
    for (const path of ['a', 'd']) rmSync(join(root, path), { recursive: true })
    symlinkSync('other/b', join(root, 'a'))
    symlinkSync('other', join(root, 'd'))
    expectWhole(await capture(data, root), root)
    for (const path of ['a', 'd']) rmSync(join(root, path))
    put(root, files)
    expectWhole(await capture(data, root), root)
  })

  test('a directory that became an ignored link is not there any more', async () => {
    const [data, root] = [await newDirectory('data'), await newProject({ 'd/b': '2', 'other/b': '3' })]
    await capture(data, root)
    rmSync(join(root, 'd'), { recursive: true })
    symlinkSync('other', join(root, 'd'))
    put(root, { '.gitignore': '/d\n' })
    const captured = await capture(data, root)
    expect(captured.missing).toEqual([])
    expect(Object.keys(contentsOf(captured))).toEqual(['.gitignore', 'other/b'])
  })

  test('.gitignore is honoured, also for files that were captured before', async () => {
    const [data, root] = [await newDirectory('data'), await newProject({ a: '1' })]
    put(root, { secret: 's', 'sub/.gitignore': 'no\n', 'sub/no': 'n', 'sub/yes': 'y' })
    expect(Object.keys(contentsOf(await capture(data, root)))).toEqual([
      'a',
      'secret',
      'sub/.gitignore',
      'sub/yes',
    ])
    put(root, { '.gitignore': 'secret\n' })
    expect(Object.keys(contentsOf(await capture(data, root)))).toEqual([
      '.gitignore',
      'a',
      'sub/.gitignore',
      'sub/yes',
    ])
    rmSync(join(root, '.gitignore'))
    expect(Object.keys(contentsOf(await capture(data, root)))).toContain('secret')
  })

  test('nested repository: named, with and without commits', async () => {
    const [data, root] = [await newDirectory('data'), await newProject({ a: '1', was: 'a file' })]
    for (const name of ['empty', 'full']) {
      mkdirSync(join(root, name))
      person(join(root, name), 'init', '-q')
      put(root, { [`${name}/file`]: 'x' })
    }
    commitAll(join(root, 'full'))
    const named = [
      { path: 'empty', why: 'nested repository' },
      { path: 'full', why: 'nested repository' },
    ]
    const captured = await capture(data, root)
    expect(captured.missing).toEqual(named)
    expect(contentsOf(captured)).toEqual({ a: '100644 1', was: '100644 a file' })
    rmSync(join(root, 'was'))
    renameSync(join(root, 'full'), join(root, 'was'))
    const next = await capture(data, root)
    expect(next.missing.map(({ path }) => path)).toEqual(['empty', 'was'])
    expect(contentsOf(next)).toEqual({ a: '100644 1' })
    expect(await capture(data, root)).toMatchObject({ tree: next.tree, missing: next.missing })
  })

  test('a file over the limit is named, the rest is captured', async () => {
    const [data, root] = [await newDirectory('data'), await newProject({ a: '1' })]
    put(root, { large: 'x'.repeat(101), fits: 'x'.repeat(100) })
    const captured = await capture(data, root, 100)
    expect(captured.missing).toEqual([{ path: 'large', why: 'too large' }])
    expect(Object.keys(contentsOf(captured))).toEqual(['a', 'fits'])
    expectWhole(await capture(data, root, 101), root)
  })

  test('an 8 MB file rewritten without pause is captured or named as changing, and the rest is captured', async () => {
    const [data, root] = [await newDirectory('data'), await newProject({ a: '1' })]
    const path = join(root, 'log')
    const content = Buffer.alloc(8 << 20, 'x')
    writeFileSync(path, content)
    let on = true
    const rewriting = (async () => {
      for (let i = 0; on; i++) {
        // Shorter and longer again: git may be reading just then.
        truncateSync(path, 0)
        writeFileSync(path, content.fill(i % 256))
        await new Promise(setImmediate)
      }
    })()
    try {
      for (let i = 0; i < 5; i++) {
        put(root, { b: String(i) })
        const captured = await capture(data, root)
        for (const missing of captured.missing) expect(missing).toEqual({ path: 'log', why: 'changing' })
        expect(contentsOf(captured)).toMatchObject({ a: '100644 1', b: `100644 ${i}` })
      }
    } finally {
      on = false
      await rewriting
    }
    expectWhole(await capture(data, root), root)
  })

  test('files and directories that cannot be read are named', async () => {
    const [data, root] = [await newDirectory('data'), await newProject({ a: '1' })]
    put(root, { closed: 'x', 'shut/file': 'x', open: 'y' })
    chmodSync(join(root, 'closed'), 0)
    chmodSync(join(root, 'shut'), 0)
    const [program = '', ...args] = [...withoutPrivileges(), process.execPath, worker, data, root]
    const output = execFileSync(program, args, { encoding: 'utf8' })
    const { tree, missing } = JSON.parse(output)
    expect(missing).toEqual([
      { path: 'shut', why: 'unreadable' },
      { path: 'closed', why: 'unreadable' },
    ])
    const shadow = await Shadow.open(data, await findProject(root))
    expect(contentsOf({ shadow, tree })).toEqual({ a: '100644 1', open: '100644 y' })
  })

  test("bough's own data inside the project is not part of it", async () => {
    const root = await newProject({ a: '1' })
    const data = join(root, 'bough [data]')
    mkdirSync(data)
    for (const _ of [1, 2]) expect(contentsOf(await capture(data, root))).toEqual({ a: '100644 1' })
  })

  test('an index of ours that is damaged is replaced', async () => {
    const [data, root] = [await newDirectory('data'), await newProject({ a: '1' })]
    const { shadow } = await capture(data, root)
    const indexes = join(shadow.directory, 'indexes')
    const [kept = ''] = execFileSync('ls', [indexes], { encoding: 'utf8' }).split('\n')
    truncateSync(join(indexes, kept), 40)
    put(root, { b: '2' })
    expectWhole(await capture(data, root), root)
  })
})

test('the whole project is captured from a subdirectory', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ a: '1', 'sub/b': '2' })]
  put(root, { c: '3' })
  expectWhole(await capture(data, join(root, 'sub')), root)
})

test('.git/info/exclude and core.excludesFile are honoured', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ a: '1' })]
  const list = join(await newDirectory('lists'), 'né "quoted"')
  writeFileSync(list, 'globally\n')
  person(root, 'config', 'core.excludesFile', list)
  put(root, { '.git/info/exclude': 'here\n', globally: 'x', here: 'x', other: 'x' })
  expect(Object.keys(contentsOf(await capture(data, root)))).toEqual(['a', 'other'])
  put(root, { '.git/info/exclude': 'here\nother\n' })
  expect(Object.keys(contentsOf(await capture(data, root)))).toEqual(['a'])
})

test('core.excludesFile counts as it is now: when its content, the setting or an included config changes', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ a: '1' })]
  put(root, { one: 'x', two: 'x' })
  const names = async () => Object.keys(contentsOf(await capture(data, root)))
  expect(await names()).toEqual(['a', 'one', 'two'])
  const lists = await newDirectory('lists')
  put(lists, { first: 'one\n', second: 'two\n', config: `[core]\n\texcludesFile = ${lists}/first\n` })
  person(root, 'config', 'core.excludesFile', join(lists, 'first'))
  expect(await names()).toEqual(['a', 'two'])
  put(lists, { first: 'one\ntwo\n' })
  expect(await names()).toEqual(['a'])
  person(root, 'config', 'core.excludesFile', join(lists, 'second'))
  expect(await names()).toEqual(['a', 'one'])
  person(root, 'config', '--unset', 'core.excludesFile')
  expect(await names()).toEqual(['a', 'one', 'two'])
  person(root, 'config', 'include.path', join(lists, 'config'))
  expect(await names()).toEqual(['a'])
  put(lists, { config: '' })
  expect(await names()).toEqual(['a', 'one', 'two'])
})

test('an ignored file that is tracked all the same may go and come back', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ '.gitignore': '*.log\n' })]
  put(root, { 'a.log': '1', 'b.log': '1' })
  person(root, 'add', '-f', 'a.log', 'b.log')
  const names = async () => Object.keys(contentsOf(await capture(data, root)))
  rmSync(join(root, 'b.log'))
  expect(await names()).toEqual(['.gitignore', 'a.log'])
  rmSync(join(root, 'a.log'))
  expect(await names()).toEqual(['.gitignore'])
  // So many that they are not worth remembering: they go through the index.
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, String(i)]))
  put(root, many)
  expect(await names()).not.toContain('a.log')
  put(root, { 'a.log': 'again', 'b.log': 'again', 'c.log': 'never tracked' })
  expect(contentsOf(await capture(data, root))).toMatchObject({
    'a.log': '100644 again',
    'b.log': '100644 again',
  })
  expect(await names()).toEqual(['.gitignore', 'a.log', 'b.log', ...Object.keys(many).toSorted()])
})

test('a sequence of small and large changes gives the same trees as a capture that starts anew', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ a: '1', 'd/e/b': '2', 'd/c': '3' })]
  const many = (from: number) =>
    Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`many/${from + i}`, `${from}`]))
  const steps = [
    () => put(root, { a: '2' }),
    () => put(root, { 'd/e/b': '3', 'd.x': '1', 'd/e.x': '1' }),
    () => put(root, many(0)),
    () => rmSync(join(root, 'd/e'), { recursive: true }),
    () => put(root, { 'd/e': 'a file', large: 'x'.repeat(3 << 20) }),
    () => put(root, { a: '3', large: 'small' }),
    () => rmSync(join(root, 'many'), { recursive: true }),
    () => put(root, { a: '1', 'd/c': '3' }),
    () => rmSync(join(root, 'd'), { recursive: true }),
  ]
  for (const step of steps) {
    step()
    const captured = await capture(data, root)
    expectWhole(captured, root)
    expect(captured.tree).toBe((await capture(await newDirectory('data'), root)).tree)
  }
})

test('a project without files has an empty tree, also when the last one goes', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ a: '1' })]
  await capture(data, root)
  rmSync(join(root, 'a'))
  expectWhole(await capture(data, root), root)
})

test('ignored files that are tracked all the same are captured, from the moment that they are', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ '.gitignore': '*.log\n' })]
  put(root, { 'a.log': '1', 'b.log': '2' })
  person(root, 'add', '-f', 'a.log')
  expect(Object.keys(contentsOf(await capture(data, root)))).toEqual(['.gitignore', 'a.log'])
  person(root, 'add', '-f', 'b.log')
  expect(Object.keys(contentsOf(await capture(data, root)))).toEqual(['.gitignore', 'a.log', 'b.log'])
  put(root, { 'b.log': 'changed' })
  expect(contentsOf(await capture(data, root))['b.log']).toBe('100644 changed')
  person(root, 'rm', '-q', '--cached', 'a.log')
  expect(Object.keys(contentsOf(await capture(data, root)))).toEqual(['.gitignore', 'b.log'])
})

test.each([
  ['text=auto', '* text=auto\n', 'false'],
  ['core.autocrlf', '# none\n', 'true'],
  ['the older crlf attribute', '*.txt crlf\n', 'false'],
])('CRLF with %s: byte-exact, though the project has other bytes', async (_, attributes, autocrlf) => {
  const [data, root] = [await newDirectory('data'), await newDirectory()]
  person(root, 'init', '-q')
  person(root, 'config', 'core.autocrlf', autocrlf)
  put(root, {
    '.gitattributes': attributes,
    'a.txt': 'a\r\nb\r\n',
    'b\nc.txt': '1\r\n',
    'lf.txt': 'a\n',
    'd/bin': 'a\0\r\n',
  })
  commitAll(root)
  expect(person(root, 'cat-file', '-p', 'HEAD:a.txt')).toBe('a\nb\n')
  const first = await capture(data, root)
  expectWhole(first, root)
  expect((await capture(data, root)).tree).toBe(first.tree)
})

test.each([
  ['untracked', ''],
  ['ignored', '.gitattributes\n'],
])('CRLF with attributes from a nested list that is %s: byte-exact', async (_, ignored) => {
  const [data, root] = [await newDirectory('data'), await newDirectory()]
  person(root, 'init', '-q')
  put(root, { '.gitignore': ignored, 'sub/.gitattributes': '* text\n', 'sub/a.txt': 'a\r\nb\r\n', b: 'x' })
  // Older than the index: git does not look into it again.
  utimesSync(join(root, 'sub/a.txt'), 1e9, 1e9)
  person(root, 'add', '.gitignore', 'sub/a.txt', 'b')
  person(root, 'commit', '-q', '-m', 'commit')
  expect(person(root, 'cat-file', '-p', 'HEAD:sub/a.txt')).toBe('a\nb\n')
  expect(contentsOf(await capture(data, root))).toMatchObject({ 'sub/a.txt': '100644 a\r\nb\r\n' })
})

test('LFS without its program: the file is captured as it is', async () => {
  const [data, root] = [await newDirectory('data'), await newDirectory()]
  person(root, 'init', '-q')
  person(root, 'config', 'filter.lfs.clean', 'sed s/large/pointer/')
  person(root, 'config', 'filter.lfs.required', 'true')
  put(root, { '.gitattributes': '*.bin filter=lfs\n', 'a.bin': 'large', 'd.bin': 'large 2' })
  commitAll(root)
  expect(person(root, 'cat-file', '-p', 'HEAD:a.bin')).toBe('pointer')
  person(root, 'config', 'filter.lfs.clean', 'no-such-program')
  rmSync(join(root, 'd.bin'))
  put(root, { 'b.bin': 'large too', 'd.bin/inside': 'x' })
  expectWhole(await capture(data, root), root)
})

test('a filter on everything does not stand in the way of a submodule that is not there', async () => {
  const [data, root, library] = [await newDirectory('data'), await newRepository(), await newRepository()]
  person(root, 'submodule', '--quiet', 'add', library, 'lib')
  put(root, { '.gitattributes': '* filter=none\n' })
  commitAll(root)
  const clone = await newDirectory()
  person(clone, 'clone', '-q', root, '.')
  const captured = await capture(data, clone)
  expect(captured.missing).toEqual([])
  expect(contentsOf(captured).lib).toMatch(/^160000 /)
})

test('in a linked worktree its own files are captured, into the same shadow', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ a: '1' })]
  put(root, { '.git/info/exclude': 'no\n' })
  const linked = join(await newDirectory(), 'linked')
  person(root, 'worktree', 'add', '-q', linked)
  put(linked, { a: 'other', b: 'new' })
  const [there, here] = [await capture(data, linked), await capture(data, root)]
  expectWhole(there, linked)
  expectWhole(here, root)
  expect(there.shadow.directory).toBe(here.shadow.directory)
  put(linked, { no: 'x' })
  expect((await capture(data, linked)).tree).toBe(there.tree)
})

test('sparse checkout: files that were left out stay in the tree, also when they change', async () => {
  const files = { top: '1', 'in/a': '2', 'out/b': '3', 'out/d/c': '4' }
  const [data, root] = [await newDirectory('data'), await newRepository(files)]
  person(root, 'sparse-checkout', 'set', 'in')
  put(root, { 'in/a': 'edited' })
  const whole = { top: '100644 1', 'in/a': '100644 edited', 'out/b': '100644 3', 'out/d/c': '100644 4' }
  expect(contentsOf(await capture(data, root))).toEqual(whole)
  put(root, { 'in/new': 'x' })
  expect(contentsOf(await capture(data, root))).toEqual({ ...whole, 'in/new': '100644 x' })
  commitAll(root)
  person(root, 'sparse-checkout', 'set', 'out')
  put(root, { 'out/b': 'edited' })
  const turned = { ...whole, 'out/b': '100644 edited', 'in/new': '100644 x' }
  expect(contentsOf(await capture(data, root))).toEqual(turned)
  commitAll(root)
  person(root, 'sparse-checkout', 'set', 'in')
  expect(contentsOf(await capture(data, root))).toEqual(turned)
})

test('a sparse index is understood', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ 'in/a': '2', 'out/b': '3' })]
  person(root, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'in')
  put(root, { 'in/a': 'edited' })
  expect(contentsOf(await capture(data, root))).toEqual({ 'in/a': '100644 edited', 'out/b': '100644 3' })
})

test('a split index is understood', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ a: '1', b: '2' })]
  person(root, 'update-index', '--split-index')
  put(root, { a: 'edited' })
  expectWhole(await capture(data, root), root)
  person(root, 'update-index', '--no-split-index')
  put(root, { b: 'edited' })
  expectWhole(await capture(data, root), root)
})

test('skip-worktree and assume-unchanged files: their edits and deletions are captured', async () => {
  const files = { skip: '1', 'skip too': '2', assume: '3', gone: '4' }
  const [data, root] = [await newDirectory('data'), await newRepository(files)]
  person(root, 'update-index', '--skip-worktree', 'skip', 'skip too')
  person(root, 'update-index', '--assume-unchanged', 'assume', 'gone')
  put(root, { skip: 'edited', assume: 'edited', 'skip too': '' })
  rmSync(join(root, 'gone'))
  expectWhole(await capture(data, root), root)
})

test('files that somebody only meant to add are captured', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository()]
  put(root, { meant: 'x' })
  person(root, 'add', '-N', 'meant')
  expectWhole(await capture(data, root), root)
})

test('during a merge conflict the files are captured as they are', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ a: 'base\n', b: 'base\n' })]
  person(root, 'checkout', '-q', '-b', 'other')
  put(root, { a: 'theirs\n' })
  rmSync(join(root, 'b'))
  commitAll(root)
  person(root, 'checkout', '-q', 'main')
  put(root, { a: 'ours\n', b: 'ours\n' })
  commitAll(root)
  expect(() => person(root, 'merge', '-q', 'other')).toThrow()
  expect(person(root, 'ls-files', '-u')).not.toBe('')
  expectWhole(await capture(data, root), root)
  const limited = await capture(await newDirectory('data'), root, 10)
  expect(limited.missing).toEqual([{ path: 'a', why: 'too large' }])
})

test('during a rebase the files are captured as they are', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ a: 'base\n' })]
  person(root, 'checkout', '-q', '-b', 'other')
  put(root, { a: 'theirs\n' })
  commitAll(root)
  person(root, 'checkout', '-q', 'main')
  put(root, { a: 'ours\n' })
  commitAll(root)
  expect(() => person(root, 'rebase', '-q', 'other')).toThrow()
  expect(existsSync(join(root, '.git/rebase-merge'))).toBe(true)
  expectWhole(await capture(data, root), root)
})

test('the person holds index.lock: a private index is not affected', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository()]
  put(root, { '.git/index.lock': '', b: '2' })
  expectWhole(await capture(data, root), root)
  expect(readFileSync(join(root, '.git/index.lock'), 'utf8')).toBe('')
})

test('a change that keeps size and time of a file just added is not missed', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ a: 'one' })]
  const time = new Date()
  utimesSync(join(root, 'a'), time, time)
  person(root, 'add', 'a')
  writeFileSync(join(root, 'a'), 'two')
  utimesSync(join(root, 'a'), time, time)
  utimesSync(join(root, '.git/index'), time, time)
  expectWhole(await capture(data, root), root)
})

describe('dirty submodule', () => {
  async function withSubmodule(): Promise<{ data: string; root: string; inner: string }> {
    const root = await newRepository()
    person(root, 'submodule', '--quiet', 'add', await newRepository({ l: '1', '.gitignore': 'no\n' }), 'lib')
    commitAll(root)
    return { data: await newDirectory('data'), root, inner: join(root, 'lib') }
  }
  const named = [{ path: 'lib', why: 'dirty submodule' }]

  test('a clean one is not named, also when its files are only touched', async () => {
    const { data, root, inner } = await withSubmodule()
    put(inner, { no: 'ignored' })
    expect((await capture(data, root)).missing).toEqual([])
    utimesSync(join(inner, 'l'), 1, 1)
    expect((await capture(data, root)).missing).toEqual([])
  })

  test.each<[string, (inner: string) => void]>([
    ['a changed file', (inner) => put(inner, { l: '2' })],
    ['a new file', (inner) => put(inner, { m: '2' })],
    ['a deleted file', (inner) => rmSync(join(inner, 'l'))],
    [
      'a staged change',
      (inner) => {
        put(inner, { l: '2' })
        person(inner, 'add', 'l')
      },
    ],
  ])('%s: named', async (_, change) => {
    const { data, root, inner } = await withSubmodule()
    await capture(data, root)
    change(inner)
    expect((await capture(data, root)).missing).toEqual(named)
    expect((await capture(await newDirectory('data'), root)).missing).toEqual(named)
  })

  test('the commit that it is at is in the tree', async () => {
    const { data, root, inner } = await withSubmodule()
    await capture(data, root)
    put(inner, { l: '2' })
    commitAll(inner)
    const captured = await capture(data, root)
    expect(captured.missing).toEqual([])
    expect(contentsOf(captured).lib).toBe(`160000 ${person(inner, 'rev-parse', 'HEAD').trim()}`)
  })

  test('one that was removed is not in the tree', async () => {
    const { data, root, inner } = await withSubmodule()
    await capture(data, root)
    rmSync(inner, { recursive: true })
    expect(contentsOf(await capture(data, root))).not.toHaveProperty('lib')
    put(root, { lib: 'a file' })
    expect(contentsOf(await capture(data, root)).lib).toBe('100644 a file')
  })

  test('a repository that was added without being made one is looked at too', async () => {
    const { data, root, inner } = await withSubmodule()
    cpSync(await newRepository({ x: '1' }), join(root, 'embedded'), { recursive: true })
    rmSync(inner, { recursive: true })
    rmSync(join(root, '.gitmodules'))
    commitAll(root)
    expect((await capture(data, root)).missing).toEqual([])
    put(root, { 'embedded/x': '2' })
    expect((await capture(data, root)).missing).toEqual([{ path: 'embedded', why: 'dirty submodule' }])
  })
})

// Root reads everything, unless it gives up the right to.
function withoutPrivileges(): readonly string[] {
  if (process.getuid?.() !== 0) return []
  const rights = '-dac_override,-dac_read_search'
  return ['setpriv', `--bounding-set=${rights}`, `--inh-caps=${rights}`]
}
