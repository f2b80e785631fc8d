import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { count, randomFrom, seed } from '../../../test/support/size.ts'
import { diskSize } from '../disk-size.ts'
import {
  type Capture,
  type Contents,
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
import { asideName } from './aside-name.ts'
import { usingShadow } from './shadow-use.ts'
import { removeShadow, sizeOfFreed, tidyShadow } from './tidy-shadow.ts'

const worker = fileURLToPath(new URL('../testing/shadow-worker.ts', import.meta.url))

const manyFiles = (number: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: number }, (_, i) => [`d${i % 9}/f${i}`, `${i}\n`.repeat(50)]))

async function plainProject(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await newDirectory()
  put(root, files)
  return root
}

interface Kept extends Capture {
  readonly id: string
  readonly files: Contents
}

/** Captures, and keeps it as if that was done two hours ago. */
async function snapshot(data: string, root: string, id: string, hours = 2): Promise<Kept> {
  const captured = await capture(data, root)
  await captured.shadow.keep(id, captured.tree)
  const then = Date.now() / 1000 - hours * 3_600
  utimesSync(join(captured.shadow.directory, 'refs/snapshots', id), then, then)
  return { ...captured, id, files: filesIn(root) }
}

/** One with three changed files each. */
async function snapshots(data: string, root: string, number: number): Promise<readonly Kept[]> {
  const all: Kept[] = []
  for (let i = 0; i < number; i++) {
    put(root, { 'd1/f1': `one ${i}`, [`d2/f${i}`]: `two ${i}`, [`new/${i}`]: `three ${i}` })
    all.push(await snapshot(data, root, `snp_${i}`))
  }
  return all
}

const ids = (kept: readonly Kept[]): ReadonlySet<string> => new Set(kept.map(({ id }) => id))

function expectWhole(kept: readonly Kept[]): void {
  for (const each of kept) expect(contentsOf(each)).toEqual(each.files)
}

const inDirectory = (directory: string, ...args: readonly string[]): readonly string[] =>
  execFileSync('git', args, {
    env: { PATH: process.env.PATH, GIT_DIR: directory },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
    .split('\n')
    .filter((line) => line !== '')

const refsOf = (directory: string): readonly string[] =>
  inDirectory(directory, 'for-each-ref', '--format=%(refname:lstrip=1)')

const allObjects = (directory: string): readonly string[] =>
  inDirectory(directory, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)').toSorted()

const neededObjects = (directory: string): readonly string[] =>
  inDirectory(directory, 'rev-list', '--objects', '--no-object-names', '--all').toSorted()

/** That there is nothing in a shadow but what its refs need. */
function expectTidy(directory: string): void {
  expect(allObjects(directory)).toEqual(neededObjects(directory))
  expect(leftIn(directory)).toEqual([])
  expect(inDirectory(directory, 'fsck', '--full', '--strict')).toEqual([])
}

/** Files of a shadow that have no business there when nobody uses it. */
const leftIn = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(^|\/)(tmp_|tidying-|use\/)|\.lock$|\.\d+-[0-9a-f]{8}-[0-9a-f]{8}$/.test(path),
  )

describe.each([
  { kind: 'git project', newProject: newRepository },
  { kind: 'directory without git', newProject: plainProject },
  {
    kind: 'SHA-256 project',
    newProject: (files: Readonly<Record<string, string>>) => newRepository(files, '--object-format=sha256'),
  },
])('in a $kind', ({ newProject }) => {
  test('unwanted snapshots go, the others give back exactly their files', async () => {
    const [data, root] = [await newDirectory('data'), await newProject(manyFiles(60))]
    const all = await snapshots(data, root, 8)
    const [wanted, directory] = [all.filter((_, i) => i % 3 === 0), all[0]?.shadow.directory ?? '']
    const { before, after, busy } = await tidyShadow(directory, ids(wanted))
    expect(busy).toBe(false)
    expect(after).toBe(await diskSize(directory))
    expect(after).toBeLessThan(before)
    expect(refsOf(directory)).toEqual([...ids(wanted)].map((id) => `snapshots/${id}`))
    expectWhole(wanted)
    for (const { tree } of all.filter((each) => !wanted.includes(each))) {
      expect(() => inDirectory(directory, 'cat-file', '-e', tree)).toThrow()
    }
    rmSync(root, { recursive: true })
    expectWhole(wanted)
    // Nothing is shared any more, so that all is ours to free.
    const fewer = wanted.slice(1)
    await tidyShadow(directory, ids(fewer))
    expectWhole(fewer)
    expectTidy(directory)
  })

  test('a capture after tidying is right, also where nothing changed', async () => {
    const [data, root] = [await newDirectory('data'), await newProject(manyFiles(30))]
    const all = await snapshots(data, root, 4)
    const directory = all[0]?.shadow.directory ?? ''
    // Its files are kept by an index alone.
    put(root, { 'd1/f1': 'captured, not kept' })
    await capture(data, root)
    await tidyShadow(directory, ids(all.slice(0, 1)))
    for (const change of [{}, {}, { 'd1/f1': 'one 2' }, { 'd3/f3': 'changed' }]) {
      put(root, change)
      const captured = await capture(data, root)
      expect(captured.missing).toEqual([])
      expect(contentsOf(captured)).toEqual(filesIn(root))
    }
    const last = await snapshot(data, root, 'snp_last')
    await tidyShadow(directory, new Set(['snp_0', 'snp_last']))
    expectWhole([...all.slice(0, 1), last])
  })
})

test("snapshots survive the person's gc and the end of their repository, which is byte-identical after tidying", async () => {
  const [data, root] = [await newDirectory('data'), await newRepository(manyFiles(60))]
  person(root, 'gc', '-q')
  put(root, { 'd3/committed': 'loose' })
  commitAll(root)
  const all = await snapshots(data, root, 6)
  const [wanted, directory] = [all.slice(2, 4), all[0]?.shadow.directory ?? '']
  const before = fingerprint(join(root, '.git'))
  await tidyShadow(directory, ids(wanted))
  expect(fingerprint(join(root, '.git'))).toEqual(before)
  expect(person(root, 'fsck', '--full')).toBe('')
  person(root, 'reset', '-q', '--hard', 'HEAD~1')
  person(root, 'reflog', 'expire', '--expire=now', '--all')
  person(root, 'gc', '-q', '--prune=now')
  expectWhole(wanted)
  await tidyShadow(directory, ids(wanted))
  expectWhole(wanted)
  rmSync(join(root, '.git'), { recursive: true })
  expectWhole(wanted)
  await tidyShadow(directory, ids(wanted))
  expectWhole(wanted)
  expectTidy(directory)
})

test('a capture does not trust an index whose trees are still there while their files went', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ 'd/a': '1', b: '2' })]
  // The trees are in one pack, the files get into another that we have not got.
  const trees = ['HEAD^{tree}', 'HEAD:d'].map((name) => person(root, 'rev-parse', name).trim())
  const pack = join(root, '.git/objects/pack/pack')
  execFileSync('git', ['pack-objects', '-q', pack], { cwd: root, input: trees.join('\n'), stdio: 'pipe' })
  person(root, 'prune-packed')
  const { tree, shadow } = await snapshot(data, root, 'snp_0')
  person(root, 'repack', '-q', '-d')
  await tidyShadow(shadow.directory, new Set())
  expect(inDirectory(shadow.directory, 'cat-file', '-t', tree)).toEqual(['tree'])
  expect(() => contentsOf({ shadow, tree })).toThrow()
  const captured = await capture(data, root)
  expect(captured.tree).toBe(tree)
  expect(contentsOf(captured)).toEqual(filesIn(root))
})

test("what the person's repository has too is not copied; its old packs go once it has repacked", async () => {
  const [data, root] = [await newDirectory('data'), await newRepository()]
  for (let i = 0; i < 3; i++) {
    put(root, { history: Buffer.from(Array.from({ length: 300_000 }, () => Math.random() * 256)) })
    commitAll(root)
  }
  person(root, 'gc', '-q')
  const first = await snapshot(data, root, 'snp_0')
  const { directory } = first.shadow
  const shared = await tidyShadow(directory, new Set(['snp_0']))
  expect(shared.after).toBeLessThan(100_000)
  commitAll(root)
  person(root, 'repack', '-q', '-a', '-d', '--window=0', '-F')
  rmSync(join(root, '.git'), { recursive: true })
  const freed = await tidyShadow(directory, new Set(['snp_0']))
  expect(freed.before).toBeGreaterThan(900_000)
  expect(freed.after).toBeLessThan(500_000)
  expectWhole([first])
  expectTidy(directory)
})

test('a young snapshot stays: its row may not be stored yet', async () => {
  const [data, root] = [await newDirectory('data'), await plainProject(manyFiles(10))]
  const old = await snapshot(data, root, 'snp_old')
  put(root, { more: 'x' })
  const young = await snapshot(data, root, 'snp_young', 0.5)
  await tidyShadow(young.shadow.directory, new Set())
  expectWhole([young])
  expect(() => contentsOf(old)).toThrow()
  expect(refsOf(young.shadow.directory)).toEqual(['snapshots/snp_young'])
  // Wanted once, it has no age any more.
  await tidyShadow(young.shadow.directory, new Set(['snp_young']))
  await tidyShadow(young.shadow.directory, new Set())
  expect(refsOf(young.shadow.directory)).toEqual([])
})

test('tidying again does nothing, also after a capture', async () => {
  const [data, root] = [await newDirectory('data'), await plainProject(manyFiles(40))]
  const all = await snapshots(data, root, 3)
  const directory = all[0]?.shadow.directory ?? ''
  await tidyShadow(directory, ids(all))
  put(root, { 'd1/f1': 'more' })
  const last = await snapshot(data, root, 'snp_last')
  const wanted = ids([...all, last])
  const files = () => fingerprint(join(directory, 'objects'))
  const before = [files(), readdirSync(join(directory, 'indexes'))]
  await tidyShadow(directory, wanted)
  expect([files(), readdirSync(join(directory, 'indexes'))]).toEqual(before)
  expectWhole([...all, last])
})

test('the wanted ones are asked for when nobody uses the shadow any more', async () => {
  const [data, root] = [await newDirectory('data'), await plainProject({ a: '1' })]
  const first = await snapshot(data, root, 'snp_0')
  const { directory } = first.shadow
  const asked: string[] = []
  const wanted = async () => {
    asked.push('asked')
    return new Set(['snp_0'])
  }
  const busy = await usingShadow(directory, () => tidyShadow(directory, wanted))
  expect([busy.busy, busy.before, asked]).toEqual([true, busy.after, []])
  await tidyShadow(directory, wanted)
  expect(asked).toEqual(['asked'])
  expectWhole([first])
})

test('what killed processes left goes', async () => {
  const [data, root] = [await newDirectory('data'), await plainProject(manyFiles(10))]
  const first = await snapshot(data, root, 'snp_0')
  const { directory } = first.shadow
  const ofTheDead = (path: string) => asideName(path).replace(`.${process.pid}-`, `.${2 ** 22 + 1}-`)
  const left = [
    'objects/ab/tmp_obj_x1',
    'objects/tmp_obj_x2',
    'objects/pack/tmp_pack_x3',
    'objects/pack/tmp_idx_x4',
    `objects/pack/pack-${'a'.repeat(40)}.pack`,
    `objects/pack/pack-${'b'.repeat(40)}.idx`,
    'objects/pack/multi-pack-index',
    'packed-refs.lock',
    'refs/snapshots/snp_0.lock',
    ofTheDead('indexes/0123456789abcdef'),
    `${ofTheDead('indexes/0123456789abcdef')}.lock`,
    ofTheDead('info/exclude'),
    ofTheDead('config'),
    'tidying-0123abcd/pack/tmp_pack_x5',
    `sharedindex.${'c'.repeat(40)}`,
  ]
  const ofLiving = asideName('indexes/0123456789abcdef')
  put(directory, Object.fromEntries([...left, ofLiving].map((path) => [path, 'left'])))
  await tidyShadow(directory, new Set(['snp_0']))
  expect(left.filter((path) => existsSync(join(directory, path)))).toEqual([])
  expect(existsSync(join(directory, 'tidying-0123abcd'))).toBe(false)
  expect(existsSync(join(directory, ofLiving))).toBe(true)
  rmSync(join(directory, ofLiving))
  expectWhole([first])
  expectTidy(directory)
})

test('a snapshot that has lost an object keeps the rest, and does not keep others from being tidied', async () => {
  const [data, root] = [await newDirectory('data'), await plainProject({ a: '1', 'd/b': '2', 'd/c': '3' })]
  const damaged = await snapshot(data, root, 'snp_damaged')
  const { directory } = damaged.shadow
  const lost = inDirectory(directory, 'rev-parse', `${damaged.tree}:d/b`)[0] ?? ''
  rmSync(join(directory, 'objects', lost.slice(0, 2), lost.slice(2)))
  rmSync(join(directory, 'indexes'), { recursive: true })
  mkdirSync(join(directory, 'indexes'))
  put(root, { 'd/b': 'new' })
  const whole = await snapshot(data, root, 'snp_whole')
  put(directory, { 'refs/snapshots/snp_lost': `${'0'.repeat(39)}1\n`, 'refs/snapshots/snp_empty': '' })
  await tidyShadow(directory, new Set(['snp_damaged', 'snp_whole', 'snp_lost', 'snp_empty']))
  expectWhole([whole])
  expect(inDirectory(directory, 'cat-file', 'blob', `${damaged.tree}:d/c`)).toEqual(['3'])
})

test('a shadow that nobody needs is removed, and the next capture starts a new one', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository(manyFiles(20))]
  const { shadow } = await snapshot(data, root, 'snp_0')
  const before = fingerprint(join(root, '.git'))
  const busy = await usingShadow(shadow.directory, () => removeShadow(shadow.directory, async () => true))
  expect(busy.busy).toBe(true)
  // One whose removal was killed half way.
  put(join(data, 'snapshots'), { '.removed-0123abcd/objects/ab/cd': 'left' })
  await removeShadow(shadow.directory, async () => false)
  expect(existsSync(shadow.directory)).toBe(true)
  const removed = await removeShadow(shadow.directory, async () => true)
  expect([removed.after, removed.busy]).toEqual([0, false])
  expect(removed.before).toBeGreaterThan(0)
  expect(readdirSync(dirname(shadow.directory))).toEqual([])
  expect(await removeShadow(shadow.directory, async () => true)).toEqual({ before: 0, after: 0, busy: false })
  expect(await tidyShadow(shadow.directory, new Set())).toEqual({ before: 0, after: 0, busy: false })
  expect(await sizeOfFreed(shadow.directory, [])).toBe(0)
  expect(readdirSync(dirname(shadow.directory))).toEqual([])
  expect(fingerprint(join(root, '.git'))).toEqual(before)
  expect(contentsOf(await capture(data, root))).toEqual(filesIn(root))
})

test.each(['git project', 'directory without git'])(
  'in a %s, at least what was promised is freed',
  async (kind) => {
    const newProject = kind === 'git project' ? newRepository : plainProject
    const [data, root] = [await newDirectory('data'), await newProject(manyFiles(100))]
    const all = await snapshots(data, root, 20)
    const directory = all[0]?.shadow.directory ?? ''
    for (const left of [all, all.slice(5), all.slice(15), []]) {
      const unwanted = all.filter((each) => !left.includes(each)).map(({ id }) => id)
      const before = fingerprint(directory)
      const promised = await sizeOfFreed(directory, unwanted)
      expect(fingerprint(directory)).toEqual({ ...before, use: expect.any(String) })
      const { before: had, after: has } = await tidyShadow(directory, ids(left))
      expect(had - has).toBeGreaterThanOrEqual(promised)
      if (left === all) expect(promised).toBeGreaterThan((had - has) / 3)
      expect(await sizeOfFreed(directory, [])).toBe(0)
    }
  },
)

test('nothing that a config of the person names is run', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository(manyFiles(10))]
  const mark = join(await newDirectory('mark'), 'was-run')
  const program = join(await newDirectory('program'), 'run')
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${mark}'\n`, { mode: 0o755 })
  const all = await snapshots(data, root, 3)
  const directory = all[0]?.shadow.directory ?? ''
  for (const name of ['post-index-change', 'reference-transaction', 'pre-auto-gc', 'post-rewrite']) {
    put(directory, { [`hooks/${name}`]: '' })
    rmSync(join(directory, 'hooks', name))
    writeFileSync(join(directory, 'hooks', name), `#!/bin/sh\n'${program}'\n`, { mode: 0o755 })
  }
  const settings = [
    'core.fsmonitor',
    'uploadpack.packObjectsHook',
    'core.alternateRefsCommand',
    'core.sshCommand',
  ]
  for (const name of settings) person(root, 'config', name, program)
  await tidyShadow(directory, ids(all.slice(1)))
  expectWhole(all.slice(1))
  expect(existsSync(mark)).toBe(false)
})

function startWorker(...args: readonly string[]) {
  const child = spawn(process.execPath, [worker, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  const lines: string[] = []
  let stderr = ''
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(kill)
  return { lines, kill, failure: () => stderr }
}

test('captures of other processes go on while one tidies: nothing fails, nothing is lost', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository(manyFiles(40))]
  const first = await snapshot(data, root, 'snp_first')
  const { directory } = first.shadow
  const file = join(data, 'wanted')
  writeFileSync(file, 'snp_first')
  const capturers = ['a', 'b'].map((name) => ({
    name,
    ...startWorker('capture', directory, data, root, name),
  }))
  const tidier = startWorker('tidy', directory, file)
  const tidied = () => tidier.lines.filter((line) => line === 'tidied').length
  const failures = () => [...capturers, tidier].map(({ failure }) => failure()).join('')
  for (let round = 1; round <= count(40, 2); round++) {
    // Something to remove, so that it is packed anew every time.
    await first.shadow.keep(`snp_old${round}`, first.tree)
    utimesSync(join(directory, 'refs/snapshots', `snp_old${round}`), 1, 1)
    const [before, captured] = [tidied(), capturers.map(({ lines }) => lines.length)]
    await expect
      .poll(
        () =>
          failures() !== '' ||
          (tidied() > before && capturers.every((it, i) => it.lines.length > (captured[i] ?? 0))),
      )
      .toBe(true)
    expect(failures()).toBe('')
  }
  for (const { kill } of [...capturers, tidier]) await kill()
  expect(failures()).toBe('')
  await tidyShadow(directory, new Set(['snp_first']))
  expectWhole([first])
  for (const { name, lines } of capturers) {
    for (const line of lines) {
      const [i, tree = ''] = line.split(' ')
      expect(contentsOf({ shadow: first.shadow, tree })).toMatchObject({ [name]: `100644 ${i}` })
    }
  }
})

test.each(['git project', 'directory without git'])(
  'in a %s, tidying that is killed at any point loses nothing, and the next one finishes the job',
  async (kind) => {
    const random = randomFrom(seed())
    const newProject = kind === 'git project' ? newRepository : plainProject
    const [data, root] = [await newDirectory('data'), await newProject(manyFiles(150))]
    const file = join(data, 'wanted')
    let kept: readonly Kept[] = []
    for (let round = 0; round < count(30, 1); round++) {
      put(root, { [`d1/f${round}`]: `new ${round}`, 'd2/always': `${round}` })
      kept = [...kept, await snapshot(data, root, `snp_${round}a`)]
      put(root, { 'd2/always': `${round} again` })
      kept = [...kept, await snapshot(data, root, `snp_${round}b`)]
      const { directory } = kept[0]?.shadow ?? { directory: '' }
      const wanted = kept.filter(() => random() < 0.7)
      writeFileSync(file, [...ids(wanted)].join('\n'))
      const { lines, kill } = startWorker('tidy', directory, file)
      await expect.poll(() => lines.length, { interval: 1 }).toBeGreaterThan(0)
      await pause(random() * 120)
      await kill()
      expectWhole(wanted)
      const isAnyGone = wanted.length < kept.length
      kept = wanted
      const isShared = kind === 'git project'
      if (isShared) expect(contentsOf(await capture(data, root))).toEqual(filesIn(root))
      // A git that the killed one had started may live on for a moment.
      const leftovers = async () => {
        expect(await tidyShadow(directory, ids(kept))).toMatchObject({ busy: false })
        return leftIn(directory)
      }
      await expect.poll(leftovers).toEqual([])
      expectWhole(kept)
      expect(refsOf(directory)).toHaveLength(kept.length)
      // Captures leave a few trees that came to nothing; alone they are not worth the work.
      if (!isShared && isAnyGone) expect(allObjects(directory)).toEqual(neededObjects(directory))
    }
    const { directory } = (await snapshot(data, root, 'snp_last')).shadow
    rmSync(root, { recursive: true })
    await tidyShadow(directory, ids(kept))
    expectWhole(kept)
    expectTidy(directory)
  },
)
