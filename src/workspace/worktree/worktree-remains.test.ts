import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { count, randomFrom, seed } from '../../../test/support/size.ts'
import { commitAll, fingerprint, newRepository, person, put } from '../testing/ground.ts'
import {
  captured,
  type Ground,
  plan,
  remainsIn,
  removeWorker,
  worktreeOf,
  worktreeWorker,
} from '../testing/worktree-ground.ts'
import { makeWorktree, type Worktree } from './worktree.ts'
import { removeRemains } from './worktree-remains.ts'

const manyFiles = Object.fromEntries(
  Array.from({ length: 600 }, (_, i) => [`d${i % 9}/f${i}`, `${i}\n`.repeat(50)]),
)

/** A process that makes a worktree; it has begun. */
async function startMaking({ data, managed, project, tree }: Ground, how: string) {
  const args = [worktreeWorker, data, managed, project.root, how === 'clean' ? '' : tree]
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  return { pid: child.pid ?? 0, ended }
}

test('nothing is left of a worktree whose process was killed at any point, and the repository is as before', async () => {
  const random = randomFrom(seed())
  const root = await newRepository(manyFiles)
  put(root, { 'd1/f1': 'changed', new: 'x' })
  const ground = await captured(root)
  const gitDir = join(root, '.git')
  const before = fingerprint(gitDir)
  const whole = await timeToMake(ground)
  let killed = 0
  for (let round = 0; round < count(60, 6); round++) {
    const { pid, ended } = await startMaking(ground, round % 3 === 2 ? 'clean' : 'snapshot')
    await pause(random() * whole)
    // Alone, so that its git lives on; or with all that it has started.
    for (const each of round % 2 === 0 ? [pid] : [pid, ...startedBy(pid)]) kill(each)
    const [, signal] = await ended
    if (signal === 'SIGKILL') killed++
    await removeRemains(gitDir, plan(ground))
    expect(remainsIn(gitDir, ground.managed)).toEqual([])
    expect(fingerprint(gitDir)).toEqual(before)
  }
  expect(killed).toBeGreaterThan(0)
})

test('nothing is left of a worktree whose removal was killed at any point', async () => {
  const random = randomFrom(seed())
  const root = await newRepository(manyFiles)
  const ground = await captured(root)
  const gitDir = join(root, '.git')
  const before = fingerprint(gitDir)
  let killed = 0
  const rounds = count(250, 6)
  for (let round = 0; round < rounds; round++) {
    await makeWorktree(ground.shadow, ground.project, plan(ground), null)
    const child = spawn(process.execPath, [removeWorker, ground.managed, root], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    await once(child.stdout, 'data')
    await pause(random() * 60)
    child.kill('SIGKILL')
    const [, signal] = await ended
    if (signal === 'SIGKILL') killed++
    await removeRemains(gitDir, plan(ground))
    expect(remainsIn(gitDir, ground.managed)).toEqual([])
    expect(fingerprint(gitDir)).toEqual(before)
  }
  process.stdout.write(`${killed} of ${rounds} removals killed: nothing left\n`)
  expect(killed).toBeGreaterThan(0)
})

/** What a process has started, and what that has. */
function startedBy(pid: number): readonly number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
  const own = stdout.split('\n').filter(Boolean).map(Number)
  return own.flatMap((each) => [each, ...startedBy(each)])
}

// It may have finished just before.
function kill(target: number): void {
  try {
    process.kill(target, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** How long it takes when it is not killed. */
async function timeToMake(ground: Ground): Promise<number> {
  const { ended } = await startMaking(ground, 'snapshot')
  const start = performance.now()
  await ended
  const time = performance.now() - start
  await removeRemains(ground.project.repository?.commonDir ?? '', plan(ground))
  return time
}

describe('removing remains', () => {
  async function unfinished(): Promise<{
    gitDir: string
    worktree: Worktree
    managed: string
    root: string
  }> {
    const root = await newRepository({ a: '1' })
    const { worktree, managed } = await worktreeOf(root)
    return { gitDir: join(root, '.git'), worktree, managed, root }
  }

  test('may be done again and again, also when there are none', async () => {
    const { gitDir, worktree, managed } = await unfinished()
    for (const _ of [1, 2]) {
      await removeRemains(gitDir, worktree)
      expect(remainsIn(gitDir, managed)).toEqual([])
    }
    rmSync(gitDir, { recursive: true })
    await removeRemains(gitDir, worktree)
  })

  test('takes what git leaves when it is killed while it makes the entry and the branch', async () => {
    const root = await newRepository({ a: '1' })
    const ground = await captured(root)
    const [gitDir, worktree] = [join(root, '.git'), plan(ground)]
    const before = fingerprint(gitDir)
    for (const entry of [{}, { locked: 'initializing' }, { locked: 'initializing', gitdir: '' }]) {
      mkdirSync(join(gitDir, 'worktrees/x'), { recursive: true })
      put(join(gitDir, 'worktrees/x'), entry)
      put(gitDir, { 'refs/heads/bough/x.lock': '', 'logs/refs/heads/bough/x': '' })
      mkdirSync(worktree.path, { recursive: true })
      await removeRemains(gitDir, worktree)
      expect(fingerprint(gitDir)).toEqual(before)
      expect(existsSync(worktree.path)).toBe(false)
    }
  })

  test('takes an empty entry whose name git has given a number', async () => {
    const root = await newRepository({ a: '1' })
    const ground = await captured(root)
    const gitDir = join(root, '.git')
    for (const [name, entry] of [
      ['x', 'x1'],
      ['try-2', 'try-21'],
      ['try 2', 'try-2'],
    ] as const) {
      mkdirSync(join(gitDir, 'worktrees', entry), { recursive: true })
      await removeRemains(gitDir, plan(ground, name))
      expect(remainsIn(gitDir, ground.managed)).toEqual([])
    }
  })

  test('leaves the entries of others alone: unfinished, stale, of a similar name', async () => {
    const { gitDir, worktree, root } = await unfinished()
    for (const name of ['y', 'x-y']) put(gitDir, { [`worktrees/${name}/locked`]: 'initializing' })
    put(gitDir, { 'worktrees/x2/gitdir': '/nowhere/x/.git\n', 'worktrees/x2/HEAD': 'ref: refs/heads/main\n' })
    person(root, 'branch', 'bough/xy')
    await removeRemains(gitDir, worktree)
    expect(remainsIn(gitDir, '/nowhere').toSorted()).toEqual(['refs/heads/bough/xy', 'x-y', 'x2', 'y'])
  })

  test('leaves a branch that has moved on', async () => {
    const { gitDir, worktree, root } = await unfinished()
    put(worktree.path, { a: '2' })
    commitAll(worktree.path)
    await removeRemains(gitDir, worktree)
    expect(person(root, 'rev-parse', 'bough/x~1').trim()).toBe(worktree.commit)
    expect(existsSync(worktree.path)).toBe(false)
  })

  test('waits for a process that still writes there', async () => {
    const { gitDir, worktree, managed } = await unfinished()
    // For longer than it takes to look at what runs there, and to remove everything.
    const script = `for (let i = 0, end = Date.now() + 300; Date.now() < end; i++) require('fs').writeFileSync('f' + i, '')`
    const child = spawn(process.execPath, ['-e', script], { cwd: worktree.path, stdio: 'ignore' })
    const ended = once(child, 'exit')
    await removeRemains(gitDir, worktree)
    expect(remainsIn(gitDir, managed)).toEqual([])
    expect((await ended)[0]).toBe(0)
  })

  test('gives up, and says who is in the way, when a process there does not end', async () => {
    const { gitDir, worktree } = await unfinished()
    const child = spawn('sleep', ['1000'], { cwd: worktree.path, stdio: 'ignore' })
    onTestFinished(() => void child.kill())
    await once(child, 'spawn')
    await expect(removeRemains(gitDir, worktree, 100)).rejects.toMatchObject({
      code: 'worktree_failed',
      message: `${worktree.path} cannot be removed: sleep (process ${child.pid}) still runs there. End it, then try again.`,
    })
    expect(existsSync(join(worktree.path, 'a'))).toBe(true)
  })

  test('does not follow links out of the worktree', async () => {
    const { gitDir, worktree, root } = await unfinished()
    symlinkSync(root, join(worktree.path, 'link'))
    writeFileSync(join(worktree.path, 'file'), '')
    await removeRemains(gitDir, worktree)
    expect(existsSync(join(root, 'a'))).toBe(true)
  })
})
