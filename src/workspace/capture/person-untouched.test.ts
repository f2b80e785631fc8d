import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { count, randomFrom, seed } from '../../../test/support/size.ts'
import {
  capture,
  commitAll,
  contentsOf,
  filesIn,
  fingerprint,
  newDirectory,
  newRepository,
  person,
  put,
  worker,
} from '../testing/ground.ts'

/** Makes a repository's config name a program everywhere it can; the program leaves a mark. */
async function bait(root: string, gitDir = join(root, '.git')): Promise<string> {
  const mark = join(await newDirectory('mark'), 'was-run')
  const program = join(await newDirectory('program'), 'run')
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${mark}'\ncat\n`, { mode: 0o755 })
  const hooks = join(gitDir, 'hooks')
  mkdirSync(hooks, { recursive: true })
  for (const name of [
    'post-index-change',
    'post-checkout',
    'pre-commit',
    'reference-transaction',
    'pre-auto-gc',
  ]) {
    writeFileSync(join(hooks, name), `#!/bin/sh\n'${program}' ${name} </dev/null\n`, { mode: 0o755 })
  }
  const set = (name: string, value = program) => person(root, 'config', name, value)
  for (const name of ['core.fsmonitor', 'core.sshCommand', 'core.pager', 'core.editor', 'diff.external'])
    set(name)
  for (const part of ['clean', 'smudge', 'process']) set(`filter.bait.${part}`)
  for (const part of ['textconv', 'command']) set(`diff.bait.${part}`)
  for (const name of ['update-index', 'write-tree', 'ls-files']) set(`alias.${name}`, `!${program}`)
  set('core.hooksPath', hooks)
  set('core.askPass')
  set('remote.origin.url', `ext::${program}`)
  set('remote.origin.uploadpack')
  set('remote.origin.promisor', 'true')
  set('protocol.allow', 'always')
  set('protocol.ext.allow', 'always')
  set('submodule.recurse', 'true')
  put(gitDir, { 'info/attributes': '* filter=bait diff=bait merge=bait\n' })
  return mark
}

async function withEverything(): Promise<string> {
  const root = await newRepository({ a: '1', 'd/b': '2', '.gitattributes': '*.x filter=bait\n', 'e.x': '3' })
  person(root, 'submodule', '--quiet', 'add', await newRepository({ l: '1' }), 'lib')
  commitAll(root)
  put(root, { a: 'stashed' })
  person(root, 'stash', '-q')
  for (const name of ['nested', 'unborn']) {
    mkdirSync(join(root, name))
    person(join(root, name), 'init', '-q')
    put(root, { [`${name}/file`]: 'x' })
  }
  commitAll(join(root, 'nested'))
  return root
}

test("the person's repository is byte-identical before and after, and nothing that its config names is run", async () => {
  const [data, root] = [await newDirectory('data'), await withEverything()]
  const marks = [
    await bait(root),
    await bait(join(root, 'lib'), join(root, '.git/modules/lib')),
    await bait(join(root, 'nested')),
    await bait(join(root, 'unborn')),
  ]
  const before = fingerprint(join(root, '.git'))
  for (const change of [
    {},
    { a: 'changed', 'new.x': 'x', 'lib/l': 'changed', 'nested/file': 'y' },
    { 'e.x': 'z' },
  ]) {
    put(root, change)
    const { missing } = await capture(data, root)
    expect(missing.map(({ path }) => path)).toEqual(expect.arrayContaining(['nested', 'unborn']))
    const theirs = fingerprint(join(root, '.git'))
    expect(theirs).toEqual(before)
  }
  expect(marks.filter(existsSync)).toEqual([])
})

/** Makes a repository ask another for objects that it has not got, and leave a mark when it does. */
async function promise(root: string, origin: string): Promise<string> {
  const mark = join(await newDirectory('mark'), 'was-fetched')
  const program = join(await newDirectory('program'), 'upload-pack')
  writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\nexec git-upload-pack "$@"\n`, { mode: 0o755 })
  person(origin, 'config', 'uploadpack.allowFilter', 'true')
  person(origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
  const settings = {
    'core.repositoryFormatVersion': '1',
    'extensions.partialClone': 'origin',
    'remote.origin.url': `file://${origin}`,
    'remote.origin.uploadpack': program,
    'remote.origin.promisor': 'true',
    'protocol.allow': 'always',
  }
  for (const [name, value] of Object.entries(settings)) person(root, 'config', name, value)
  return mark
}

test('missing objects are not fetched, whatever the config names for it', async () => {
  const root = await newRepository({ 'in/a': '1', 'out/.gitattributes': '* text\n', 'out/b': '2' })
  const origin = await newDirectory('origin')
  cpSync(root, origin, { recursive: true })
  const attributes = person(root, 'rev-parse', 'HEAD:out/.gitattributes').trim()
  person(root, 'update-index', '--skip-worktree', 'out/.gitattributes')
  rmSync(join(root, 'out/.gitattributes'))
  rmSync(join(root, '.git/objects', attributes.slice(0, 2), attributes.slice(2)))
  const mark = await promise(root, origin)
  const before = fingerprint(join(root, '.git'))

  const { shadow, tree } = await capture(await newDirectory('data'), root)
  expect(existsSync(mark)).toBe(false)
  expect(fingerprint(join(root, '.git'))).toEqual(before)
  expect(namesIn(shadow.directory, tree)).toEqual(['in/a', 'out/.gitattributes', 'out/b'])

  // The same question, asked by the person, fetches it.
  person(root, 'check-attr', 'text', 'out/b')
  expect(existsSync(mark)).toBe(true)
})

test('a partial clone is captured as far as it was fetched; what a sparse checkout left out stays in the tree', async () => {
  const origin = await newRepository({ 'in/a': '1', 'out/b': '2', top: '3' })
  const root = await newDirectory()
  person(origin, 'config', 'uploadpack.allowFilter', 'true')
  person(root, 'clone', '-q', '--filter=blob:none', '--sparse', `file://${origin}`, '.')
  person(root, 'sparse-checkout', 'set', 'in')
  const mark = await promise(root, origin)
  put(root, { 'in/a': 'edited', 'in/new': 'x' })
  const before = fingerprint(join(root, '.git'))
  const data = await newDirectory('data')
  const names = ['in/a', 'in/new', 'out/b', 'top']
  const first = await capture(data, root)
  expect(first.missing).toEqual([])
  expect(namesIn(first.shadow.directory, first.tree)).toEqual(names)
  put(root, { 'in/a': 'edited again' })
  const few = await capture(data, root)
  put(root, Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`in/many/${i}`, `${i}`])))
  const many = await capture(data, root)
  expect(namesIn(few.shadow.directory, few.tree)).toEqual(names)
  expect(namesIn(many.shadow.directory, many.tree)).toHaveLength(84)
  const show = (path: string) => shadowGit(many.shadow.directory, 'cat-file', '-p', `${many.tree}:${path}`)
  expect([show('in/a'), show('in/many/7'), show('top')]).toEqual(['edited again', '7', '3'])
  expect(existsSync(mark)).toBe(false)
  expect(fingerprint(join(root, '.git'))).toEqual(before)
})

test('a file in a partial clone whose object was never fetched is hashed from disk', async () => {
  const root = await newRepository({ a: '1', b: '2' })
  const origin = await newDirectory('origin')
  cpSync(root, origin, { recursive: true })
  const object = person(root, 'rev-parse', 'HEAD:a').trim()
  rmSync(join(root, '.git/objects', object.slice(0, 2), object.slice(2)))
  const mark = await promise(root, origin)
  expect(contentsOf(await capture(await newDirectory('data'), root))).toEqual(filesIn(root))
  expect(existsSync(mark)).toBe(false)
})

function shadowGit(directory: string, ...args: readonly string[]): string {
  const env = { PATH: process.env.PATH, GIT_DIR: directory }
  return execFileSync('git', args, { env, encoding: 'utf8' })
}

const namesIn = (directory: string, tree: string): readonly string[] =>
  shadowGit(directory, 'ls-tree', '-r', '--name-only', tree).trim().split('\n')

const rooms = ['/dev/shm', '/tmp'].filter(existsSync)

test("every tree survives the person's gc after a rebase that drops its commits, and the end of .git", async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ a: '1' })]
  put(root, { a: '2', b: 'only here', 'd/c': 'x' })
  commitAll(root)
  const committed = await capture(data, root)
  put(root, { 'd/c': 'uncommitted' })
  const edited = await capture(data, root)
  const before = [contentsOf(committed), contentsOf(edited)]
  person(root, 'stash', '-q')
  person(root, 'stash', 'drop', '-q')
  person(root, 'reset', '-q', '--hard', 'HEAD~1')
  person(root, 'reflog', 'expire', '--expire=now', '--all')
  person(root, 'gc', '-q', '--prune=now')
  expect(() => person(root, 'cat-file', '-e', committed.tree)).toThrow()
  expect([contentsOf(committed), contentsOf(edited)]).toEqual(before)
  rmSync(join(root, '.git'), { recursive: true })
  expect([contentsOf(committed), contentsOf(edited)]).toEqual(before)
  expect(fsck(committed.shadow.directory)).toBe('')
})

const fsck = (directory: string): string =>
  execFileSync('git', ['fsck', '--full', '--no-dangling'], {
    env: { PATH: process.env.PATH, GIT_DIR: directory },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })

test.runIf(rooms.length === 2)('objects on another file system are packed', async () => {
  const data = await mkdtemp('/dev/shm/bough-data-')
  onTestFinished(() => rmSync(data, { recursive: true }))
  const root = await newRepository({ a: '1', 'd/b': '2' })
  commitAll(root)
  const captured = await capture(data, root)
  rmSync(join(root, '.git'), { recursive: true })
  expect(contentsOf(captured)).toEqual(filesIn(root))
  expect(
    readdirSync(join(captured.shadow.directory, 'objects/pack')).some((name) => name.endsWith('.pack')),
  ).toBe(true)
})

test('the objects that a repository borrows are owned too', async () => {
  const [data, root, clone] = [
    await newDirectory('data'),
    await newRepository({ a: '1', 'd/b': '2' }),
    await newDirectory(),
  ]
  person(clone, 'clone', '-q', '--shared', root, '.')
  const captured = await capture(data, clone)
  rmSync(join(root, '.git'), { recursive: true })
  rmSync(join(clone, '.git'), { recursive: true })
  expect(contentsOf(captured)).toEqual(filesIn(clone))
})

test('a repository that names its objects by SHA-256 is captured', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ a: '1' }, '--object-format=sha256')]
  put(root, { b: '2' })
  const captured = await capture(data, root)
  expect(captured.tree).toMatch(/^[0-9a-f]{64}$/)
  expect(contentsOf(captured)).toEqual(filesIn(root))
  expect((await capture(data, root)).tree).toBe(captured.tree)
})

test('captures of the same files at once all succeed', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ a: '1' })]
  put(root, Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, String(i)])))
  for (const _ of [1, 2]) {
    const all = await Promise.all([1, 2, 3].map(() => capture(data, root)))
    for (const captured of all) {
      expect(captured.missing).toEqual([])
      expect(contentsOf(captured)).toEqual(filesIn(root))
    }
    put(root, { f1: 'changed' })
  }
})

test('a capture that is killed at any point leaves nothing that breaks the next', async () => {
  const random = randomFrom(seed())
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`d${i % 9}/f${i}`, `${i}`]))
  const [root, data] = [await newRepository(files), await newDirectory('data')]
  for (let round = 0; round < count(50, 8); round++) {
    put(root, { [`d1/f${round}`]: `new ${round}`, [`more/f${round}`]: 'x' })
    // Every other one begins from nothing.
    if (round % 2 === 0) rmSync(join(data, 'snapshots'), { recursive: true, force: true })
    const child = spawn(process.execPath, [worker, data, root], { env: { ...process.env, ANNOUNCE: '1' } })
    const ended = once(child, 'close')
    await once(child.stdout, 'data')
    await pause(random() * 80)
    child.kill('SIGKILL')
    await ended
    const captured = await capture(data, root)
    expect(captured.missing).toEqual([])
    expect(contentsOf(captured)).toEqual(filesIn(root))
  }
  const { shadow } = await capture(data, root)
  const left = () => readdirSync(join(shadow.directory, 'indexes')).filter((name) => /\.\d+-/.test(name))
  await expect.poll(async () => (await capture(data, root)) && left()).toEqual([])
})
