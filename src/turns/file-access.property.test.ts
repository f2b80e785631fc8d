import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { count, seed } from '../../test/support/size.ts'
import { judgeFile } from './file-access.ts'

// Random trees of directories and links, of which the system itself says where a path leads: the file is written, and
// its real path asked for.

const tops = ['project', 'outside', 'own', 'home']
const name = fc.constantFrom('a', 'b', 'c', '.git', 'HEAD', 'config', '.envrc')
const steps = fc.array(fc.oneof({ weight: 4, arbitrary: name }, fc.constantFrom('..', '.', '')), {
  ...{ minLength: 1, maxLength: 5 },
})
const path = fc.tuple(fc.constantFrom(...tops), steps).map(([top, rest]) => [top, ...rest].join('/'))
const entry = fc.record({
  at: path,
  kind: fc.constantFrom('directory', 'relative', 'absolute', 'absolute'),
  target: fc.tuple(path, steps),
})

test('a path through any links is judged as the place that the system finds there', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 14 }),
      fc.array(path, { minLength: 1, maxLength: 6 }),
      check,
    ),
    { numRuns: count(2000, 150), seed: seed() },
  )
})

async function check(entries: readonly Entry[], paths: readonly string[]): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'links-')))
  try {
    for (const top of tops) mkdirSync(join(root, top))
    for (const each of entries) make(root, each)
    for (const each of paths) await agrees(root, `${root}/${each}`)
  } finally {
    rmSync(root, { recursive: true })
  }
}

interface Entry {
  readonly at: string
  readonly kind: string
  readonly target: readonly [path: string, steps: readonly string[]]
}

function make(root: string, { at, kind, target: [path, steps] }: Entry): void {
  try {
    if (kind === 'directory') mkdirSync(join(root, at), { recursive: true })
    else symlinkSync(kind === 'relative' ? steps.join('/') || '.' : `${root}/${path}`, join(root, at))
  } catch {
    // Something else is there, or no directory to put it in.
  }
}

async function agrees(root: string, path: string): Promise<void> {
  const project = join(root, 'project')
  const limits = { ownData: [join(root, 'own')], homes: [join(root, 'home')], protected: [] }
  const judge = (each: string) => judgeFile({ path: each, action: 'write' }, project, limits)
  const judged = await judge(path)
  const before = judged.reason === 'unresolvable' ? null : await judge(judged.realPath)
  if (before !== null) expect(judged).toEqual(before)
  let real: string
  try {
    writeFileSync(path, '', { flag: 'a' })
    real = realpathSync(path)
  } catch {
    // No file can be there: then there is nothing to compare.
    return
  }
  expect([path, judged.realPath]).toEqual([path, real])
  const isInside = real.startsWith(`${project}/`)
  const isOwn = real.startsWith(join(root, 'own', '/'))
  const isNamed = /\/(\.git|\.envrc)(\/|$)|\/HEAD$/.test(real.slice(project.length))
  if (isOwn) expect(judged.access).toBe('never')
  else if (!isInside || isNamed) expect(judged.access).toBe('asked')
}
