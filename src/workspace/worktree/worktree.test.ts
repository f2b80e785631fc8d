import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findProject } from '../project.ts'
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
  exceptOwn,
  type Ground,
  type Made,
  plan,
  remainsIn,
  statusOf,
  withoutPrivileges,
  worktreeOf,
  worktreeWorker,
} from '../testing/worktree-ground.ts'
import { makeWorktree } from './worktree.ts'

/** That a worktree has the files of the original, and that git says the same of both. */
function expectSame({ worktree }: Made, root: string): void {
  expect(filesIn(worktree.path)).toEqual(filesIn(root))
  expect(statusOf(worktree.path)).toBe(statusOf(root))
  expect(person(worktree.path, 'rev-parse', 'HEAD')).toBe(person(root, 'rev-parse', 'HEAD'))
  expect(person(worktree.path, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/bough/x')
}

const manyFiles = { a: '1', b: '2', 'd/c': '3', 'd/e/f': '4', 'm/n': '5', 'with space/ü\n"q"': '6' }

/** Changes of every kind, none of them committed. */
function edit(root: string): void {
  put(root, { a: 'changed', 'new/file': 'new', staged: 'staged', b: 'staged' })
  person(root, 'add', 'staged', 'b')
  person(root, 'reset', '-q')
  rmSync(join(root, 'd/c'))
  rmSync(join(root, 'm'), { recursive: true })
  put(root, { m: 'a file where a directory was' })
  chmodSync(join(root, 'with space/ü\n"q"'), 0o755)
  symlinkSync('../nowhere', join(root, 'link'))
}

describe('a worktree with the files of a snapshot', () => {
  test('has those of a clean checkout, and git has nothing to report', async () => {
    const root = await newRepository(manyFiles)
    const made = await worktreeOf(root)
    expectSame(made, root)
    expect(statusOf(made.worktree.path)).toBe('')
    expect(made.uncommitted).toBe(0)
  })

  test('has uncommitted files uncommitted again', async () => {
    const root = await newRepository(manyFiles)
    edit(root)
    const made = await worktreeOf(root)
    expectSame(made, root)
    expect(made.uncommitted).toBe(statusOf(root).split('\n').filter(Boolean).length)
  })

  test('knows the files that are as in the commit without reading them', async () => {
    const root = await newRepository(manyFiles)
    edit(root)
    const { worktree } = await worktreeOf(root)
    const known = person(worktree.path, 'ls-files', '--debug', 'd/e/f')
    expect(/size: (\d+)/.exec(known)?.[1]).toBe('1')
    expect(person(worktree.path, 'diff-files', '--name-only', 'd/e/f')).toBe('')
  })

  test('is as at the snapshot, whatever changed since, also what is committed', async () => {
    const root = await newRepository(manyFiles)
    edit(root)
    const [files, status] = [filesIn(root), statusOf(root)]
    const ground = await captured(root)
    const worktree = plan(ground)
    commitAll(root)
    put(root, { a: 'later' })
    await makeWorktree(ground.shadow, await findProject(root), worktree, ground.tree)
    expect(filesIn(worktree.path)).toEqual(files)
    expect(statusOf(worktree.path)).toBe(status)
    expect(person(worktree.path, 'rev-parse', 'HEAD').trim()).toBe(worktree.commit)
  })

  test('can be committed in, and the commit has all its files', async () => {
    const root = await newRepository(manyFiles)
    edit(root)
    const { worktree } = await worktreeOf(root)
    commitAll(worktree.path)
    expect(statusOf(worktree.path)).toBe('')
    expect(person(root, 'rev-parse', 'bough/x~1').trim()).toBe(worktree.commit)
    expect(person(root, 'fsck', '--no-dangling')).toBe('')
  })

  test('has files that differ only by case, control characters and bytes that are no UTF-8', async () => {
    const root = await newRepository({
      File: '1',
      file: '2',
      '-dash': '3',
      'tab\there': '4',
      '"quoted"': '5',
    })
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from('caf\xe9', 'latin1')]), 'latin1')
    const made = await worktreeOf(root)
    expectSame(made, root)
  })

  test('has submodules as empty directories, as git makes them', async () => {
    const root = await newRepository({ a: '1' })
    person(root, 'submodule', '--quiet', 'add', await newRepository({ l: '1' }), 'lib')
    commitAll(root)
    const { worktree } = await worktreeOf(root)
    expect(readdirSync(join(worktree.path, 'lib'))).toEqual([])
    expect(statusOf(worktree.path)).toBe('')
  })
})

describe('a clean worktree', () => {
  test('has the files of the commit, not what is uncommitted', async () => {
    const root = await newRepository(manyFiles)
    const files = filesIn(root)
    edit(root)
    const { worktree, uncommitted } = await worktreeOf(root, 'clean')
    expect(filesIn(worktree.path)).toEqual(files)
    expect(statusOf(worktree.path)).toBe('')
    expect(uncommitted).toBe(0)
  })

  test('has them as git itself would write them', async () => {
    const attributes = '* text=auto\n*.bat eol=crlf\n*.u16 text working-tree-encoding=UTF-16\n*.id ident\n'
    const root = await newRepository({
      '.gitattributes': attributes,
      'a.bat': 'x\r\ny\r\n',
      'b.txt': 'x\n',
      'c.u16': Buffer.from('\ufeffx', 'utf16le'),
      'd.id': '$Id$\n',
    })
    put(root, { '.git/info/attributes': '*.txt eol=crlf\n' })
    const theirs = join(await newDirectory(), 'theirs')
    person(root, 'worktree', 'add', '-q', theirs)
    const { worktree } = await worktreeOf(root, 'clean')
    expect(filesIn(theirs)).toMatchObject({ 'a.bat': '100644 x\r\ny\r\n', 'b.txt': '100644 x\r\n' })
    expect(filesIn(worktree.path)).toEqual(filesIn(theirs))
    expect(statusOf(worktree.path)).toBe('')
    expect(readdirSync(join(root, '.git/worktrees/x'))).not.toContain('bough')
  })
})

describe('files that git converts', () => {
  test('have the bytes of the snapshot, and are not modified when they were not', async () => {
    const root = await newRepository({
      '.gitattributes': '* text=auto\n*.bat eol=crlf\n',
      'a.bat': 'x\r\n',
      'b.txt': 'y\n',
    })
    put(root, { 'b.txt': 'y\r\n', 'c.txt': 'z\r\n' })
    person(root, 'add', '-N', 'c.txt')
    person(root, 'reset', '-q')
    const made = await worktreeOf(root)
    expect(filesIn(made.worktree.path)).toEqual(filesIn(root))
    expect(statusOf(made.worktree.path)).toBe('?? c.txt\n')
    expect(made.uncommitted).toBe(1)
  })

  test('are converted back with core.autocrlf', async () => {
    const root = await newRepository({ a: 'x\n' })
    person(root, 'config', 'core.autocrlf', 'true')
    put(root, { a: 'x\r\n' })
    const { worktree, uncommitted } = await worktreeOf(root)
    expect(readFileSync(join(worktree.path, 'a'), 'utf8')).toBe('x\r\n')
    expect(statusOf(worktree.path)).toBe('')
    expect(uncommitted).toBe(0)
  })

  test('by a filter are there as they were, and only the person’s own git runs it', async () => {
    const root = await newRepository({ '.gitattributes': '*.big filter=up\n', a: '1' })
    const mark = join(await newDirectory('mark'), 'was-run')
    person(root, 'config', 'filter.up.clean', `touch '${mark}'; tr a-z A-Z`)
    person(root, 'config', 'filter.up.smudge', `touch '${mark}'; tr A-Z a-z`)
    person(root, 'config', 'filter.up.required', 'true')
    put(root, { 'f.big': 'small letters\n' })
    commitAll(root)
    rmSync(mark)
    const { worktree } = await worktreeOf(root)
    expect(existsSync(mark)).toBe(false)
    expect(readFileSync(join(worktree.path, 'f.big'), 'utf8')).toBe('small letters\n')
    expect(statusOf(worktree.path)).toBe('')
    rmSync(mark)
    const clean = await worktreeOf(root, 'clean').catch((error) => error)
    expect(clean).toMatchObject({ message: 'There is a branch bough/x already. Choose another name.' })
    person(root, 'worktree', 'remove', '--force', worktree.path)
    person(root, 'branch', '-q', '-D', 'bough/x')
    rmSync(mark, { force: true })
    const { worktree: second } = await worktreeOf(root, 'clean')
    expect(existsSync(mark)).toBe(false)
    expect(readFileSync(join(second.path, 'f.big'), 'utf8')).toBe('SMALL LETTERS\n')
  })
})

describe('the repository', () => {
  test('gets one entry and one branch and is otherwise untouched; nothing that its config names is run', async () => {
    for (const how of ['snapshot', 'clean'] as const) {
      const root = await newRepository({ ...manyFiles, '.gitattributes': '* filter=bait diff=bait\n' })
      edit(root)
      const mark = await bait(root)
      const ground = await captured(root)
      const before = exceptOwn(join(root, '.git'))
      await makeWorktree(ground.shadow, ground.project, plan(ground), how === 'clean' ? null : ground.tree)
      expect(exceptOwn(join(root, '.git'))).toEqual(before)
      expect(remainsIn(join(root, '.git'), ground.managed)).toEqual(['x', 'x', 'refs/heads/bough/x'])
      expect(existsSync(mark)).toBe(false)
    }
  })

  test('may have its index locked, a rebase in progress and a stale entry of another worktree', async () => {
    const root = await newRepository({ a: '1' })
    put(root, { a: '2' })
    commitAll(root)
    const stale = join(await newDirectory(), 'stale')
    person(root, 'worktree', 'add', '-q', stale)
    rmSync(stale, { recursive: true })
    person(root, '-c', 'sequence.editor=sed -i s/pick/edit/', 'rebase', '-q', '-i', 'HEAD~1')
    put(root, { '.git/index.lock': '', a: '3' })
    const { worktree } = await worktreeOf(root)
    expect(filesIn(worktree.path)).toEqual({ a: '100644 3' })
    expect(statusOf(worktree.path)).toBe(' M a\n')
    expect(readdirSync(join(root, '.git/worktrees')).toSorted()).toEqual(['stale', 'x'])
    expect(existsSync(join(root, '.git/rebase-merge'))).toBe(true)
  })

  test('may name its objects by SHA-256', async () => {
    for (const how of ['snapshot', 'clean'] as const) {
      const root = await newRepository(manyFiles, '--object-format=sha256')
      expectSame(await worktreeOf(root, how), root)
    }
  })

  test('may be at no branch', async () => {
    const root = await newRepository(manyFiles)
    person(root, 'checkout', '-q', '--detach')
    edit(root)
    expectSame(await worktreeOf(root), root)
  })

  test('may be forked from a linked worktree, of a bare repository too', async () => {
    const [origin, bare] = [await newRepository(manyFiles), await newDirectory('bare')]
    person(bare, 'clone', '-q', '--bare', origin, '.')
    for (const repository of [origin, bare]) {
      const linked = join(await newDirectory(), 'linked')
      person(repository, 'worktree', 'add', '-q', linked)
      edit(linked)
      const made = await worktreeOf(linked)
      expectSame(made, linked)
      expect(made.project.repository?.commonDir).toBe(repository === bare ? bare : join(origin, '.git'))
    }
  })

  test('may be a submodule', async () => {
    const root = await newRepository({ a: '1' })
    person(root, 'submodule', '--quiet', 'add', await newRepository(manyFiles), 'lib')
    edit(join(root, 'lib'))
    expectSame(await worktreeOf(join(root, 'lib')), join(root, 'lib'))
  })

  test('may have settings that change what `git worktree add` does', async () => {
    const upstream = await newRepository(manyFiles)
    const root = await newDirectory()
    person(root, 'clone', '-q', upstream, '.')
    person(upstream, 'branch', 'bough/x')
    person(root, 'fetch', '-q')
    for (const [name, value] of [
      ['worktree.guessRemote', 'true'],
      ['checkout.defaultRemote', 'origin'],
      ['branch.autoSetupMerge', 'always'],
      ['core.worktree', await newDirectory('elsewhere')],
      ['core.splitIndex', 'true'],
      ['checkout.workers', '1'],
    ] as const) {
      person(root, 'config', name, value)
    }
    const files = filesIn(root)
    const config = readFileSync(join(root, '.git/config'), 'utf8')
    const { worktree } = await worktreeOf(root)
    expect(filesIn(worktree.path)).toEqual(files)
    expect(statusOf(worktree.path)).toBe('')
    expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe(config)
  })

  test.each(['with a config for each worktree', 'with one for all', 'in a linked worktree only'])(
    'may be a sparse checkout, %s: what it leaves out stays left out',
    async (kind) => {
      const main = await newRepository({ 'in/a': '1', 'out/b': '2', 'out/c': '3', 'far/d': '4', top: '5' })
      const root = kind.includes('linked') ? join(await newDirectory(), 'linked') : main
      if (root !== main) person(main, 'worktree', 'add', '-q', root)
      if (kind.includes('one for all')) {
        person(root, 'config', 'core.sparseCheckout', 'true')
        put(root, { '.git/info/sparse-checkout': '/in/\n/top\n' })
        person(root, 'read-tree', '-mu', 'HEAD')
      } else {
        person(root, 'sparse-checkout', 'set', 'in')
      }
      put(root, { 'in/a': 'changed', 'out/b': 'changed all the same', 'in/new': 'x' })
      expect(existsSync(join(root, 'far'))).toBe(false)
      const made = await worktreeOf(root)
      expectSame(made, root)
      expect(statusOf(root)).toBe(' M in/a\n M out/b\n?? in/new\n')
      expect(person(made.worktree.path, 'sparse-checkout', 'list')).toBe(
        person(root, 'sparse-checkout', 'list'),
      )
      person(made.worktree.path, 'sparse-checkout', 'disable')
      expect(filesIn(made.worktree.path)).toMatchObject({
        'far/d': '100644 4',
        'out/b': '100644 changed all the same',
      })
    },
  )
})

describe('a worktree that cannot be made leaves nothing behind and says what to do', () => {
  async function expectFailure(
    root: string,
    words: string | RegExp,
    prepare: (made: Awaited<ReturnType<typeof captured>>) => unknown = () => {},
  ) {
    for (const how of ['snapshot', 'clean'] as const) {
      const ground = await captured(root)
      await prepare(ground)
      const before = exceptOwn(join(root, '.git'), 'none')
      const there = existsSync(ground.managed) ? filesIn(ground.managed) : {}
      const error = await makeWorktree(
        ground.shadow,
        ground.project,
        plan(ground),
        how === 'clean' ? null : ground.tree,
      ).catch((e) => e)
      expect(error).toMatchObject({ code: 'worktree_failed', message: expect.stringMatching(words) })
      expect(exceptOwn(join(root, '.git'), 'none')).toEqual(before)
      expect(existsSync(ground.managed) ? filesIn(ground.managed) : {}).toEqual(there)
    }
  }

  test('when nothing is committed yet', async () => {
    const root = await newDirectory()
    person(root, 'init', '-q')
    put(root, { a: '1' })
    await expectFailure(root, /^Nothing is committed yet in .*Commit something/)
  })

  test('when the branch is there already', async () => {
    const root = await newRepository()
    person(root, 'branch', 'bough/x')
    await expectFailure(root, 'There is a branch bough/x already. Choose another name.')
    expect(person(root, 'rev-parse', 'bough/x')).toBe(person(root, 'rev-parse', 'main'))
  })

  test('when a branch stands in the way of its name', async () => {
    const root = await newRepository()
    person(root, 'branch', 'bough')
    await expectFailure(root, 'The branch bough stands in the way of bough/x. Rename it')
  })

  test('when git was killed while it wrote the entry of another one', async () => {
    const root = await newRepository()
    person(root, 'worktree', 'add', '-q', join(await newDirectory(), 'other'))
    writeFileSync(join(root, '.git/worktrees/other/commondir'), '')
    await expectFailure(
      root,
      /git was cut off while it made the worktree of .*\/worktrees\/other\. Remove that/,
    )
  })

  test('when something is at its path already', async () => {
    await expectFailure(await newRepository(), /^There is something at .* already/, ({ managed }) =>
      put(managed, { 'x/file': 'somebody’s' }),
    )
  })

  test('when the repository cannot be written', async () => {
    const root = await newRepository()
    const ground = await captured(root)
    const gitDir = join(root, '.git')
    const before = fingerprint(gitDir)
    for (const path of ['refs/heads', '']) {
      chmodSync(join(root, '.git', path), 0o555)
      const said = make(ground, withoutPrivileges())
      chmodSync(join(root, '.git', path), 0o755)
      expect(said).toBe(
        `worktree_failed: A worktree needs an entry and a branch in ${gitDir}, but ${join(gitDir, path)} cannot be written.`,
      )
      expect(fingerprint(join(root, '.git'))).toEqual(before)
      expect(existsSync(ground.managed)).toBe(false)
    }
  })

  test('when the disk is full', async () => {
    const root = await newRepository({ large: randomBytes(3 << 20), ...manyFiles })
    const ground = await captured(root)
    const before = fingerprint(join(root, '.git'))
    mkdirSync(ground.managed)
    const small = ['sh', '-c', 'mount -t tmpfs -o size=1m tmpfs "$0" && "$@"; ls -A "$0"', ground.managed]
    for (const tree of [ground.tree, '']) {
      const said = make({ ...ground, tree }, ['unshare', '-rm', ...small])
      expect(said).toMatch(
        /^worktree_failed: The disk is full: \d MB are free for .* Make room, then fork again\.$/,
      )
      expect(fingerprint(join(root, '.git'))).toEqual(before)
    }
  })

  test('when the commit is gone', async () => {
    const root = await newRepository()
    const ground = await captured(root)
    const worktree = { ...plan(ground), commit: '1234567890'.repeat(4) }
    await expect(makeWorktree(ground.shadow, ground.project, worktree, ground.tree)).rejects.toMatchObject({
      code: 'worktree_failed',
      message: expect.stringMatching(/^The commit 123456789012 is not in .* any more/),
    })
    expect(remainsIn(join(root, '.git'), ground.managed)).toEqual([])
  })

  test('when the objects of the snapshot are gone', async () => {
    const root = await newRepository(manyFiles)
    put(root, { a: 'only in the snapshot' })
    const ground = await captured(root)
    rmSync(join(ground.shadow.directory, 'objects'), { recursive: true })
    mkdirSync(join(ground.shadow.directory, 'objects'))
    const before = exceptOwn(join(root, '.git'), 'none')
    await expect(
      makeWorktree(ground.shadow, ground.project, plan(ground), ground.tree),
    ).rejects.toMatchObject({
      code: 'worktree_failed',
    })
    expect(exceptOwn(join(root, '.git'), 'none')).toEqual(before)
    expect(readdirSync(ground.managed)).toEqual([])
  })

  test('when it is no git project', async () => {
    const root = await newDirectory()
    put(root, { a: '1' })
    const ground = await captured(root)
    await expect(
      makeWorktree(ground.shadow, ground.project, plan(ground), ground.tree),
    ).rejects.toMatchObject({
      code: 'worktree_failed',
      message: expect.stringContaining('is no git project'),
    })
    expect(existsSync(ground.managed)).toBe(false)
  })
})

/** Makes a worktree in a process that is started by other programs; gives its last words, and what is left there. */
function make({ data, managed, project, tree }: Ground, before: readonly string[]): string {
  const args = [...before, process.execPath, worktreeWorker, data, managed, project.root, tree]
  const [program = '', ...rest] = args
  return execFileSync(program, rest, { encoding: 'utf8' }).replace('began\n', '').trim()
}

/** Makes a repository's config name a program wherever making a worktree could run one; the program leaves a mark. */
async function bait(root: string): Promise<string> {
  const mark = join(await newDirectory('mark'), 'was-run')
  const program = join(await newDirectory('program'), 'run')
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${mark}'\ncat\n`, { mode: 0o755 })
  const hooks = join(root, '.git', 'hooks')
  mkdirSync(hooks, { recursive: true })
  for (const name of ['post-checkout', 'post-index-change', 'reference-transaction', 'pre-auto-gc']) {
    writeFileSync(join(hooks, name), `#!/bin/sh\n'${program}' ${name} </dev/null\n`, { mode: 0o755 })
  }
  const names = [
    'core.fsmonitor',
    'core.pager',
    'core.editor',
    'diff.external',
    'core.sshCommand',
    'core.askPass',
  ]
  for (const part of ['clean', 'smudge', 'process']) names.push(`filter.bait.${part}`)
  for (const part of ['textconv', 'command']) names.push(`diff.bait.${part}`)
  for (const name of names) person(root, 'config', name, program)
  person(root, 'config', 'core.hooksPath', hooks)
  return mark
}
