import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { count, seed } from '../../../test/support/size.ts'
import { type Capture, type Contents, capture, filesIn, newDirectory } from '../testing/ground.ts'
import { begin, histories, kinds, type Step, take } from '../testing/history.ts'

test.each(kinds)(
  'every capture of a random history in a %s gives back exactly the files that are not ignored',
  async (kind) => {
    const check = async (steps: readonly Step[]) => {
      const [data, root] = [await newDirectory('data'), await begin(kind)]
      const out = await newDirectory('out')
      try {
        for (const each of steps) {
          take(root, each, kind)
          const captured = await capture(data, root)
          expect(captured.missing).toEqual([])
          expect(materialised(captured, out)).toEqual(wanted(root, kind))
        }
      } finally {
        for (const each of [data, root, out]) rmSync(each, { recursive: true, force: true })
      }
    }
    await fc.assert(fc.asyncProperty(histories, check), { seed: seed(), numRuns: count(250, 6) })
  },
)

// What git itself would call the files of the project: tracked, or not ignored.
function wanted(root: string, kind: string): Contents {
  const options =
    kind === 'git project' ? [] : ['--git-dir', join(root, '..', 'looking.git'), '--work-tree', root]
  if (options.length > 0) execFileSync('git', ['init', '-q', '--bare', join(root, '..', 'looking.git')])
  const listed = execFileSync(
    'git',
    [...options, '-c', 'core.bare=false', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: root, encoding: 'latin1' },
  )
  const paths = new Set(listed.split('\0'))
  return Object.fromEntries(Object.entries(filesIn(root)).filter(([path]) => paths.has(path)))
}

/** The files of a tree, written to an empty directory by git from nothing but the shadow. */
function materialised({ shadow, tree }: Capture, out: string): Contents {
  rmSync(out, { recursive: true })
  mkdirSync(out)
  const env = {
    PATH: process.env.PATH,
    GIT_DIR: shadow.directory,
    GIT_WORK_TREE: out,
    GIT_INDEX_FILE: `${out}.index`,
  }
  rmSync(`${out}.index`, { force: true })
  execFileSync('git', ['read-tree', tree], { cwd: out, env })
  execFileSync('git', ['checkout-index', '-a', '-f'], { cwd: out, env })
  return filesIn(out)
}
