import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { count, seed } from '../../test/support/size.ts'
import {
  type Capture,
  type Contents,
  capture,
  commitAll,
  filesIn,
  newDirectory,
  newRepository,
  person,
  put,
} from './testing/ground.ts'

type Step =
  | { readonly do: 'write'; readonly path: string; readonly content: string }
  | { readonly do: 'link'; readonly path: string; readonly to: string }
  | { readonly do: 'chmod'; readonly path: string; readonly mode: number }
  | { readonly do: 'rename'; readonly path: string; readonly to: string }
  | { readonly do: 'delete' | 'stage' | 'commit' | 'ignore' | 'unignore'; readonly path: string }

// Few, so that they meet: as files, directories and links; bytes as latin1.
const names = ['a', 'b', 'd', '-x', 'q"\'', 'n\nl', '\xff\xfe', 'x.log']
const path = fc
  .array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'))
const content = fc.oneof(
  fc.constantFrom('', 'one\n', 'two\n', 'a\r\nb\r\n', 'mixed\r\nends\n', '\0\r\n\xff'),
  fc.string({ maxLength: 40 }),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('write' as const), path, content }) },
  fc.record({ do: fc.constant('link' as const), path, to: fc.constantFrom('a', 'd', '../b', 'nowhere') }),
  fc.record({ do: fc.constant('chmod' as const), path, mode: fc.constantFrom(0o755, 0o644) }),
  fc.record({ do: fc.constant('rename' as const), path, to: path }),
  fc.record({
    do: fc.constantFrom(
      'delete' as const,
      'stage' as const,
      'commit' as const,
      'ignore' as const,
      'unignore' as const,
    ),
    path,
  }),
)

test.each(['git project', 'directory without git'] as const)(
  'every capture of a random history in a %s gives back exactly the files that are not ignored',
  async (kind) => {
    const check = async (steps: readonly Step[]) => {
      const [data, root] = [await newDirectory('data'), await begin(kind)]
      const out = await newDirectory('out')
      try {
        for (const each of steps) {
          apply(root, each, kind)
          const captured = await capture(data, root)
          expect(captured.missing).toEqual([])
          expect(materialised(captured, out)).toEqual(wanted(root, kind))
        }
      } finally {
        for (const each of [data, root, out]) rmSync(each, { recursive: true, force: true })
      }
    }
    const histories = fc.array(step, { minLength: 4, maxLength: 10 })
    await fc.assert(fc.asyncProperty(histories, check), { seed: seed(), numRuns: count(250, 13) })
  },
)

async function begin(kind: string): Promise<string> {
  const files = {
    '.gitignore': '*.log\n',
    '.gitattributes': '* text=auto\n',
    a: 'a\r\n',
    'd/a': 'one\n',
    b: '1',
  }
  if (kind === 'git project') return newRepository(files)
  const root = await newDirectory()
  put(root, files)
  return root
}

function apply(root: string, each: Step, kind: string): void {
  const at = (path: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])
  const found = thereIs(at, each.path)
  switch (each.do) {
    case 'write':
      makeRoom(at, each.path)
      writeFileSync(at(each.path), each.content, 'latin1')
      break
    case 'link':
      makeRoom(at, each.path)
      symlinkSync(each.to, at(each.path))
      break
    case 'chmod':
      if (found?.isFile()) chmodSync(at(each.path), each.mode)
      break
    case 'rename':
      if (!found || isWithin(each.to, each.path) || isWithin(each.path, each.to)) break
      makeRoom(at, each.to)
      renameSync(at(each.path), at(each.to))
      break
    case 'delete':
      if (found) rmSync(at(each.path), { recursive: true })
      break
    case 'stage':
      if (kind === 'git project') person(root, 'add', '-A')
      break
    case 'commit':
      if (kind === 'git project') commitAll(root)
      break
    case 'ignore':
      writeFileSync(join(root, '.gitignore'), '*.log\n/b\n')
      // Those that stay tracked have tests of their own.
      if (kind === 'git project')
        person(root, 'rm', '-rq', '--cached', '--ignore-unmatch', '--', 'b', '*.log')
      break
    case 'unignore':
      rmSync(join(root, '.gitignore'), { force: true })
  }
}

type At = (path: string) => Buffer

const isWithin = (path: string, other: string): boolean => `${path}/`.startsWith(`${other}/`)

/** Null also for what lies beyond a link. */
function thereIs(at: At, path: string): Stats | null {
  const above = dirname(path)
  if (above !== '.' && !thereIs(at, above)?.isDirectory()) return null
  return lstatSync(at(path), { throwIfNoEntry: false }) ?? null
}

/** What stands in the way goes. */
function makeRoom(at: At, path: string): void {
  const above = dirname(path)
  if (above !== '.' && !thereIs(at, above)?.isDirectory()) {
    makeRoom(at, above)
    mkdirSync(at(above))
  }
  rmSync(at(path), { recursive: true, force: true })
}

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
