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
import { commitAll, newDirectory, newRepository, person, put } from './ground.ts'

// Random histories of a project: what a person and an agent do to its files, one step after the other.

export const kinds = ['git project', 'directory without git'] as const

export type Kind = (typeof kinds)[number]

export type Step =
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

export const histories = fc.array(step, { minLength: 4, maxLength: 10 })

/** The project that every history starts from. */
export async function begin(kind: Kind): Promise<string> {
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

export function take(root: string, each: Step, kind: Kind): void {
  const at = (path: string) => pathIn(root, path)
  const found = thereIs(root, each.path)
  switch (each.do) {
    case 'write':
      makeRoom(root, each.path)
      writeFileSync(at(each.path), each.content, 'latin1')
      break
    case 'link':
      makeRoom(root, each.path)
      symlinkSync(each.to, at(each.path))
      break
    case 'chmod':
      if (found?.isFile()) chmodSync(at(each.path), each.mode)
      break
    case 'rename':
      if (!found || isWithin(each.to, each.path) || isWithin(each.path, each.to)) break
      makeRoom(root, each.to)
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
        person(root, 'rm', '-rfq', '--cached', '--ignore-unmatch', '--', 'b', '*.log')
      break
    case 'unignore':
      rmSync(join(root, '.gitignore'), { force: true })
  }
}

const pathIn = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])

const isWithin = (path: string, other: string): boolean => `${path}/`.startsWith(`${other}/`)

/** Null also for what lies beyond a link. */
export function thereIs(root: string, path: string): Stats | null {
  const above = dirname(path)
  if (above !== '.' && !thereIs(root, above)?.isDirectory()) return null
  return lstatSync(pathIn(root, path), { throwIfNoEntry: false }) ?? null
}

/** What stands in the way goes. */
function makeRoom(root: string, path: string): void {
  const above = dirname(path)
  if (above !== '.' && !thereIs(root, above)?.isDirectory()) {
    makeRoom(root, above)
    mkdirSync(pathIn(root, above))
  }
  rmSync(pathIn(root, path), { recursive: true, force: true })
}
