import { expect, it } from 'vitest'
import { newHome, openForTest } from '../../test/support/bough.ts'
import { createOfflineDriver } from '../agents/offline/offline.ts'
import { hidingPaths } from './hidden-paths.ts'
import { KnownDirectories } from './known-directories.ts'

it('tells of what sessions work in, of programs the name, and of the rest nothing', async () => {
  const home = await newHome()
  const { data, config, project } = home
  const bough = await openForTest(home, { drivers: [createOfflineDriver()] })
  const hide = hidingPaths(home, await KnownDirectories.open(bough, [project]))
  const cases = {
    'nothing to hide': 'nothing to hide',
    [`Cannot write in ${data}. Make it writable.`]: "Cannot write in bough's own files. Make it writable.",
    [`The disk that holds ${data}/bough.db is full.`]: "The disk that holds bough's own files is full.",
    [`git: fatal: '${data}/snapshots/x/objects' (gone)`]: "git: fatal: 'bough's own files' (gone)",
    [config]: "bough's own files",
    [`There is no directory ${project}/a/b. Make it.`]: `There is no directory ${project}/a/b. Make it.`,
    [`${project}-evil/x`]: 'x',
    [`${data}-projects/x`]: 'x',
    'codex-cli 1.2.3, /usr/lib/node_modules/@openai/codex/bin/codex; not signed in':
      'codex-cli 1.2.3, codex; not signed in',
    'Set a key, or sign in: /opt/claude/bin/claude /login': 'Set a key, or sign in: claude /login',
    [`${data}/worktrees/gone/tree/a.txt`]: 'a.txt',
    'see https://example.org/a/b and /openapi.json': 'see https://example.org/a/b and /openapi.json',
    'a/relative/path': 'a/relative/path',
  }
  for (const [words, shown] of Object.entries(cases)) expect(await hide(words)).toBe(shown)
})

it('paths with spaces and with signs that mean something elsewhere', async () => {
  const home = await newHome()
  const odd = `${home.project}/my (odd) [project]+$`
  const bough = await openForTest(home, { drivers: [createOfflineDriver()] })
  const hide = hidingPaths(home, await KnownDirectories.open(bough, [odd]))
  expect(await hide(`in ${odd}/a.txt`)).toBe(`in ${odd}/a.txt`)
})
