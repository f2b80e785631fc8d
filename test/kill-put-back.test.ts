import { realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findHome } from '../src/home.ts'
import { commitAll, filesIn, person, put } from '../src/workspace/testing/ground.ts'
import { lookInto } from './support/ground.ts'
import { createWorld } from './support/run-bough.ts'
import { count, randomFrom, seed } from './support/size.ts'
import { until } from './support/until.ts'

const kills = count(60, 6)

test('SIGKILL at random points of putting an ended fork’s files back: all or nothing, or it can be finished or undone', {
  timeout: kills * 20_000,
}, async () => {
  const random = randomFrom(seed())
  const world = createWorld()
  const root = realpathSync(world.project)
  person(root, 'init', '-q', '-b', 'main')
  const many = Array.from({ length: 300 }, (_, i) => [`d${i % 20}/f${i}.txt`, `${i}\n`.repeat(50)])
  put(root, { 'a.txt': 'a\n', 'gone.txt': 'gone\n', ...Object.fromEntries(many) })
  commitAll(root)
  const main = (await world.ok('new')).trim()
  await world.ok('send', main, 'Say: hello')
  const found = filesIn(root)
  const writes = many.slice(0, 250).map(([path]) => `write ${path}: by the fork`)
  const run = (
    await world.ok(
      'run',
      main,
      [...writes, 'write new.txt: new', 'delete gone.txt'].join('\n'),
      '--background',
      '--wait',
    )
  ).split('\n')[0]
  const left = filesIn(root)
  expect(left).not.toEqual(found)
  const store = await lookInto(findHome(world.env))
  const fork = run ?? ''
  let halfDone = 0

  for (let kill = 1; kill <= kills; kill++) {
    const after = `after kill ${kill}`
    // The person's own work beside it is nobody's to touch.
    writeFileSync(join(root, 'mine.txt'), `${kill}\n`)
    const mine = { 'mine.txt': `100644 ${kill}\n` }
    const putting = world.start(['exit', fork, '--files', 'put-back'])
    if (random() < 0.3) await pause(200 + random() * 600)
    else {
      await until(
        'it is at work, or done',
        async () => putting.child.exitCode !== null || (await store.restores.unfinished()).length > 0,
      )
      await pause(random() ** 2 * 100)
    }
    putting.child.kill('SIGKILL')
    await putting.ended

    if ((await store.restores.unfinished()).length > 0) {
      halfDone++
      const finish = random() < 0.5
      // What the person writes meanwhile stays either way.
      writeFileSync(join(root, 'mine.txt'), `${kill}, later\n`)
      expect(await world.bough(['undo', ...(finish ? ['--finish'] : [])]), after).toMatchObject({ code: 0 })
      const now = { 'mine.txt': `100644 ${kill}, later\n` }
      expect(filesIn(root), after).toEqual({ ...(finish ? found : left), ...now })
      expect(await store.restores.unfinished(), after).toEqual([])
    } else
      expect(
        [
          { ...found, ...mine },
          { ...left, ...mine },
        ],
        after,
      ).toContainEqual(filesIn(root))
    // Back to where the fork left them, for the next.
    if (filesIn(root)['new.txt'] === undefined) await world.ok('undo')
    const { 'mine.txt': _, ...rest } = filesIn(root)
    expect(rest, after).toEqual(left)
  }
  expect(halfDone, 'some kills hit the middle').toBeGreaterThanOrEqual(count(1, 0))
})
