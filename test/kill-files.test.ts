import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findHome } from '../src/home.ts'
import { openStore } from '../src/store/open.ts'
import type { Store } from '../src/store/store.ts'
import type { Snapshot } from '../src/tree/snapshot.ts'
import { findProject } from '../src/workspace/project.ts'
import { Shadow } from '../src/workspace/shadow/shadow.ts'
import {
  type Contents,
  commitAll,
  contentsOf,
  filesIn,
  person,
  put,
} from '../src/workspace/testing/ground.ts'
import { lookInto } from './support/ground.ts'
import { createWorld, type World } from './support/run-bough.ts'
import { count, randomFrom, seed } from './support/size.ts'
import { until } from './support/until.ts'

const kills = count(250, 4)

/** A project with some turns behind it, and what its files were at the end of each. */
interface Past {
  readonly world: World
  readonly store: Store
  readonly root: string
  readonly session: string
  readonly ends: readonly { readonly message: string; readonly files: Contents }[]
}

test('SIGKILL at random points of turns, forks into worktrees, restores and gc: no work is lost, nothing is left over, a half-done restore can be finished or undone', {
  timeout: kills * 30_000,
}, async () => {
  const random = randomFrom(seed())
  const anyOf = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(random() * items.length)]
    if (item === undefined) throw new Error('none')
    return item
  }
  const past = await newPast()
  const { world, store, root, session, ends } = past
  const seen = { halfDone: 0, halfMade: 0 }

  for (let kill = 1; kill <= kills; kill++) {
    const [before, then] = [filesIn(root), anyOf(ends)]
    const operation = anyOf(['turn', 'worktree', 'restore', 'restore', 'gc'] as const)
    const commands = {
      turn: ['send', session, `write a.txt: kill ${kill}\nwrite new-${kill}.txt: ${kill}`],
      worktree: ['fork', `${session}@${then.message}`, '--files', 'worktree'],
      restore: ['fork', `${session}@${then.message}`, '--files', 'restore', '--yes'],
      gc: ['gc'],
    }
    if (operation === 'gc') await makeGarbage(world, session, then.message)
    const running = world.start(commands[operation])
    // Half of them whenever it comes; half of them when the work itself has begun.
    if (random() < 0.5) await pause(150 + random() * 700)
    else {
      await until(
        'it is at work, or done',
        async () => running.child.exitCode !== null || (await isAtWork(past)),
      )
      await pause(random() ** 2 * 200)
    }
    running.child.kill('SIGKILL')
    await running.ended
    const after = `after kill ${kill}, of ${operation}`

    seen.halfMade += (await store.workspaces.underWay()).length
    await noGitLeft(root, world)
    expect((await world.bough(['ls'])).code, after).toBe(0)
    expect(await leftOver(past), after).toEqual([])

    const half = await store.restores.unfinished()
    if (half.length > 0) {
      seen.halfDone++
      const finish = random() < 0.5
      expect(await world.bough(['undo', ...(finish ? ['--finish'] : [])]), after).toMatchObject({ code: 0 })
      expect(filesIn(root), after).toEqual(finish ? { ...then.files, ...ignored(before) } : before)
      expect(await store.restores.unfinished(), after).toEqual([])
    } else if (operation === 'turn') {
      for (const [path, content] of Object.entries(before)) {
        if (path !== 'a.txt') expect(filesIn(root)[path], `${path} ${after}`).toBe(content)
      }
    } else if (operation === 'restore') {
      expect([before, { ...then.files, ...ignored(before) }], after).toContainEqual(filesIn(root))
    } else expect(filesIn(root), after).toEqual(before)
    await everySnapshotIsWhole(past, after)
  }
  process.stdout.write(
    `${kills} kills: ${seen.halfDone} half-done restores, ${seen.halfMade} half-made worktrees, nothing lost or left\n`,
  )
  // The newest message has the files of now.
  await world.ok('send', session, 'Say: the end')
  for (const { message, files } of ends) {
    const fork = (await world.ok('fork', `${session}@${message}`, '--files', 'worktree')).trim()
    const made = await store.sessions.matching(fork.slice(4))
    expect(filesIn(made[0]?.directory ?? '')).toEqual(files)
  }
  // Of the few kills of a short run, chance may have it that none does.
  expect(seen.halfDone + seen.halfMade, 'some kills hit the middle').toBeGreaterThanOrEqual(count(1, 0))
})

async function isAtWork({ world, store, root }: Past): Promise<boolean> {
  if ((await store.workspaces.underWay()).length > 0) return true
  if ((await store.restores.unfinished()).length > 0) return true
  const { id } = await findProject(root)
  const signs = join(world.home, 'snapshots', id, 'use')
  return existsSync(signs) && readdirSync(signs).some((name) => name.startsWith('tidier'))
}

async function newPast(): Promise<Past> {
  const world = createWorld()
  const root = realpathSync(world.project)
  person(root, 'init', '-q', '-b', 'main')
  const many = Array.from({ length: 400 }, (_, i) => [`d${i % 20}/f${i}.txt`, `${i}\n`.repeat(50)])
  put(root, { 'a.txt': 'a\n', '.gitignore': '*.log\n', ...Object.fromEntries(many) })
  commitAll(root)
  put(root, { 'mine.txt': 'not committed\n', 'kept.log': 'ignored\n' })
  const session = (await world.ok('new')).trim()
  const ends: { message: string; files: Contents }[] = []
  for (let i = 0; i < 4; i++) {
    const writes = Array.from(
      { length: 15 },
      (_, j) => `write d${(i + j) % 20}/f${(i + j) % 20}.txt: turn ${i} file ${j}`,
    )
    await world.ok('send', session, [`write a.txt: turn ${i}`, `write t${i}.txt: ${i}`, ...writes].join('\n'))
    const messages = await world.json('log', session)
    const message = Array.isArray(messages) ? messages.at(-1).id : ''
    ends.push({ message, files: withoutIgnored(filesIn(root)) })
  }
  return { world, store: await lookInto(findHome(world.env)), root, session, ends }
}

const withoutIgnored = (files: Contents): Contents =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !path.endsWith('.log')))

const ignored = (files: Contents): Contents =>
  Object.fromEntries(Object.entries(files).filter(([path]) => path.endsWith('.log')))

/** A fork whose worktree nobody needs any more, with work in it. */
async function makeGarbage(world: World, session: string, message: string): Promise<void> {
  const fork: unknown = await world.json('fork', `${session}@${message}`, '--files', 'worktree')
  if (typeof fork !== 'object' || !fork || !('id' in fork) || !('directory' in fork))
    throw new Error('no fork')
  writeFileSync(join(String(fork.directory), 'unsaved.txt'), 'work\n')
  const store = await openStore(findHome(world.env).data, Date.now)
  await store.transaction((tx) =>
    tx.sessions.change(`ses_${String(fork.id).slice(4)}`, { archived: true }, Date.now()),
  )
  await store.close()
}

/** What a killed bough had started ends by itself. */
async function noGitLeft(root: string, world: World): Promise<void> {
  await until('no git runs there any more', () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        if (
          /(^|\/)(git|sh)\0/.test(command) &&
          (environment.includes(world.home) || environment.includes(root))
        )
          return false
      } catch {
        // Gone meanwhile.
      }
    }
    return true
  })
}

/** Half-made worktrees in any form, and files of processes that are gone. */
async function leftOver({ world, store, root }: Past): Promise<readonly string[]> {
  const workspaces = await store.workspaces.all()
  const ready = new Set(workspaces.filter(({ state }) => state === 'ready').map(({ path }) => path))
  const branches = new Set(workspaces.map(({ branch }) => branch))
  const entries = person(root, 'worktree', 'list', '--porcelain')
    .split('\n')
    .flatMap((line) => /^worktree (.*)/.exec(line)?.[1] ?? [])
  const refs = person(root, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/bough')
    .split('\n')
    .filter(Boolean)
  const managed = join(world.home, 'worktrees')
  mkdirSync(managed, { recursive: true })
  const directories = readdirSync(managed, { withFileTypes: true }).flatMap(({ name }) =>
    readdirSync(join(managed, name)).map((each) => join(realpathSync(managed), name, each)),
  )
  return [
    ...workspaces
      .filter(({ state }) => state === 'making' || state === 'removing')
      .map(({ path, state }) => `${state} ${path}`),
    ...entries.filter((path) => path !== root && !ready.has(path)).map((path) => `entry ${path}`),
    ...directories.filter((path) => !ready.has(path)).map((path) => `directory ${path}`),
    ...refs.filter((ref) => !branches.has(ref)).map((ref) => `branch ${ref}`),
    ...readdirSync(root).filter((name) => /tmp|bough/.test(name)),
  ]
}

async function everySnapshotIsWhole({ world, store, root }: Past, after: string): Promise<void> {
  const shadow = await Shadow.open(findHome(world.env).data, await findProject(root))
  const whole = new Set<string>()
  for (const snapshot of await store.snapshots.all()) {
    if (snapshot.freed || whole.has(snapshot.tree)) continue
    expect(() => contentsOf({ shadow, tree: snapshot.tree }), `${nameOf(snapshot)} ${after}`).not.toThrow()
    whole.add(snapshot.tree)
  }
}

const nameOf = ({ id, created }: Snapshot): string => `${id} of ${created}`
