import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { count, randomFrom, seed } from '../../../test/support/size.ts'
import { findProject } from '../project.ts'
import {
  type Capture,
  type Contents,
  capture,
  contentsOf,
  filesIn,
  newDirectory,
  put,
} from '../testing/ground.ts'
import { begin, histories, kinds, type Step, take } from '../testing/history.ts'
import { applyRestore, treeForUndo } from './restore-files.ts'
import type { RestoreOptions } from './restore-plan.ts'
import { planRestore } from './restore-plan.ts'
import { pathsBetween } from './tree-entries.ts'

const worker = fileURLToPath(new URL('../testing/restore-worker.ts', import.meta.url))

test.each(kinds)(
  'any state of a random history in a %s is put back in place, and so is what was there before',
  async (kind) => {
    const check = async (steps: readonly Step[], pick: number, byList: boolean) => {
      const [data, root] = [await newDirectory('data'), await begin(kind)]
      try {
        const states = [await capture(data, root)]
        for (const each of steps) {
          take(root, each, kind)
          states.push(await capture(data, root))
        }
        // Not the last: there the files are now.
        const target = states[pick % (states.length - 1)]
        if (target) await thereAndBack(data, root, target, byList)
      } finally {
        for (const each of [data, root]) rmSync(each, { recursive: true, force: true })
      }
    }
    await fc.assert(fc.asyncProperty(histories, fc.nat(), fc.boolean(), check), {
      seed: seed(),
      numRuns: count(250, 5),
    })
  },
)

async function thereAndBack(data: string, root: string, target: Capture, byList: boolean): Promise<void> {
  const [before, wanted] = [filesIn(root), contentsOf(target)]
  const from = await capture(data, root)
  const { left, undo, late } = await restore(data, root, target.tree)
  expect(late).toEqual([])
  expect(left).toEqual(ignoredOnlyThen(contentsOf(from), wanted))

  const isIgnored = rulesOf(wanted)
  const after = filesIn(root)
  const staying = without(before, (path) => !isIgnored(path) || stands(path, wanted))
  expect(after).toEqual({ ...staying, ...wanted })
  const captured = contentsOf(await capture(data, root))
  expect(without(captured, (path) => isIgnored(path) && !(path in wanted))).toEqual(wanted)

  const { shadow } = from
  const only = byList ? { only: await pathsBetween(shadow, undo, target.tree) } : {}
  const back = await restore(data, root, undo, { exact: true, ...only })
  expect([back.left, back.late]).toEqual([[], []])
  expect(filesIn(root)).toEqual(before)
}

async function restore(data: string, root: string, tree: string, options: RestoreOptions = {}) {
  const project = await findProject(root)
  const { shadow, ...from } = await capture(data, root)
  const plan = await planRestore(shadow, project, from, { tree, missing: [] }, options)
  const undo = await treeForUndo(shadow, project, from, plan)
  return { left: plan.left, undo, late: await applyRestore(shadow, project, plan) }
}

/** What the histories write into the only .gitignore there is. */
function rulesOf(wanted: Contents): (path: string) => boolean {
  const rules = wanted['.gitignore'] ?? ''
  return (path) => {
    const names = path.split('/')
    return (
      (rules.includes('*.log') && names.some((name) => name.endsWith('.log'))) ||
      (rules.includes('/b') && names[0] === 'b')
    )
  }
}

/** A file of the snapshot, or where it has a file below or above: there it proves what was. */
const stands = (path: string, wanted: Contents): boolean =>
  Object.keys(wanted).some((each) => `${each}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${each}/`))

const without = (contents: Contents, isOut: (path: string) => boolean): Contents =>
  Object.fromEntries(Object.entries(contents).filter(([path]) => !isOut(path)))

function ignoredOnlyThen(from: Contents, wanted: Contents) {
  const isIgnored = rulesOf(wanted)
  return Object.keys(from)
    .filter((path) => isIgnored(path) && !stands(path, wanted))
    .map((path) => ({ path: Buffer.from(path, 'latin1').toString('utf8'), why: 'ignored then' }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

test('a restore that is killed at any moment can be finished, and can be taken back', async () => {
  const random = randomFrom(seed())
  const [data, root] = [await newDirectory('data'), await newDirectory()]
  const numbers = Array.from({ length: 300 }, (_, i) => i)
  const all = (content: string, where: (i: number) => string) =>
    Object.fromEntries(numbers.map((i) => [where(i), `${content} ${i}`]))
  put(root, {
    '.gitignore': '*.log\n',
    ...all('then', (i) => `d${i % 7}/f${i}`),
    ...all('old', (i) => `gone/${i % 5}/f${i}`),
  })
  const target = await capture(data, root)
  let cut = 0
  for (let round = 0; round < count(60, 2); round++) {
    // From a state with other rules, changed, new and ignored files, and directories where files should be.
    rmSync(join(root, 'gone'), { recursive: true, force: true })
    rmSync(join(root, 'd1/f1'), { recursive: true, force: true })
    put(root, {
      '.gitignore': '*.tmp\nnew/\n/gone\n',
      'd1/f1/inside.tmp': 'i',
      ...all(`now ${round}`, (i) => `d${i % 7}/${i === 1 ? 'f1/f' : `f${i}`}`),
      ...all('new', (i) => `new/f${i}`),
      'x.log': `kept ${round}`,
      gone: 'a file now',
    })
    const before = filesIn(root)
    const child = spawn(process.execPath, [worker, data, root, target.tree])
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    const ended = once(child, 'close')
    await once(child.stdout, 'data')
    await pause(random() * 120)
    child.kill('SIGKILL')
    await ended
    const [undo = '', done = ''] = output.split('\n')
    if (done === '') cut++
    expect(undo).toMatch(/^[0-9a-f]{40}$/)
    if (round % 2 === 0) {
      await restore(data, root, target.tree)
      expect(filesIn(root)).toEqual({ ...contentsOf(target), 'x.log': before['x.log'] })
    }
    const { shadow } = target
    const only = round % 4 < 2 ? { only: await pathsBetween(shadow, undo, target.tree) } : {}
    const { left, late } = await restore(data, root, undo, { exact: true, ...only })
    expect([left, late]).toEqual([[], []])
    expect(filesIn(root)).toEqual(before)
  }
  expect(cut).toBeGreaterThan(0)
  await expect
    .poll(async () => {
      await restore(data, root, target.tree)
      return readdirSync(join(target.shadow.directory, 'staging'))
    })
    .toEqual([])
})
