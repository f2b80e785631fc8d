import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { count, seed } from '../../../test/support/size.ts'
import { findProject } from '../project.ts'
import { Shadow } from '../shadow/shadow.ts'
import { filesIn, newDirectory, newRepository, person, put } from '../testing/ground.ts'
import { type Kind, kinds, type Step as SharedStep, take, thereIs } from '../testing/history.ts'
import { captureFiles, type Files } from './capture-files.ts'

type Step = SharedStep | { readonly do: 'scan' | 'force'; readonly path: string }

// Few, so that they meet: as files, directories and links; the bytes of UTF-8 as latin1, since a file tool names text.
const names = ['a', 'b', 'd', '-x', 'q"\'', 'n\nl', '\xc3\xa9', 'x.log', '.gitignore']
const path = fc
  .array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'))
const content = fc.constantFrom('', 'one\n', 'two\n', '*.log\n', '/b\nd/\n', 'a\r\n')
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), path, content }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), path }) },
  fc.record({ do: fc.constant('link' as const), path, to: fc.constantFrom('a', 'd', '../b', 'nowhere') }),
  fc.record({ do: fc.constant('chmod' as const), path, mode: fc.constantFrom(0o755, 0o644) }),
  fc.record({
    do: fc.constantFrom('scan' as const, 'stage' as const, 'commit' as const, 'force' as const),
    path,
  }),
)

test.each(kinds)(
  'for a random history in a %s, captures of the touched files give what scans give',
  async (kind) => {
    const check = async (steps: readonly Step[]) => {
      const [scanned, touched] = [await newDirectory('data'), await newDirectory('data')]
      const root = await begin(kind)
      try {
        let last = await captured(touched, root, null)
        for (const each of steps) {
          const before = filesIn(root)
          apply(root, each, kind)
          const paths = differing(before, filesIn(root)).map((path) => asText(root, path))
          last = await captured(touched, root, each.do === 'scan' ? null : { since: last.tree, paths })
          expect(last).toEqual(await captured(scanned, root, null))
        }
      } finally {
        for (const each of [scanned, touched, root]) rmSync(each, { recursive: true, force: true })
      }
    }
    const histories = fc.array(step, { minLength: 5, maxLength: 14 })
    await fc.assert(fc.asyncProperty(histories, check), { seed: seed(), numRuns: count(250, 6) })
  },
)

async function captured(
  data: string,
  root: string,
  touched: { readonly since: string; readonly paths: readonly string[] } | null,
): Promise<Files> {
  const project = await findProject(root)
  const shadow = await Shadow.open(data, project)
  return captureFiles(shadow, project, 1 << 30, touched ?? undefined)
}

async function begin(kind: Kind): Promise<string> {
  const files = { '.gitignore': '*.log\n', a: 'a\r\n', 'd/a': 'one\n', b: '1' }
  if (kind === 'git project') return newRepository(files)
  const root = await newDirectory()
  put(root, files)
  return root
}

/** What a file tool would name: every file that is another, or is gone. */
const differing = (before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => before[name] !== after[name])

const asText = (root: string, path: string): string =>
  join(root, Buffer.from(path, 'latin1').toString('utf8'))

function apply(root: string, each: Step, kind: Kind): void {
  switch (each.do) {
    case 'scan':
      break
    case 'force':
      // Tracked from now on, whatever ignores it.
      if (kind === 'git project' && thereIs(root, each.path))
        person(root, 'add', '-f', '--', asText(root, each.path))
      break
    default:
      take(root, each, kind)
  }
}
