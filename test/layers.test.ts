import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { z } from 'zod'

const root = join(import.meta.dirname, '..')
const biome = join(root, 'node_modules/.bin/biome')

const ground = [
  'tree',
  'agent-ancestry.ts',
  'config.ts',
  'config-file.ts',
  'config-options.ts',
  'held-directory.ts',
  'home.ts',
  'local-zone.ts',
  'process-group.ts',
  'process-identity.ts',
  'read-regular-file.ts',
  'trust-records.ts',
]
const standing = ['agents', 'workspace', 'store']
const openers = [
  'open-bough.ts',
  'open-sessions.ts',
  'open-channels.ts',
  'open-policy.ts',
  'open-trust.ts',
  'check-input.ts',
]

/** What each may import besides itself. */
const layers: Readonly<Record<string, readonly string[]>> = {
  tree: [],
  ...Object.fromEntries(ground.slice(1).map((file) => [file, ground])),
  ...Object.fromEntries(standing.map((folder) => [folder, ground])),
  turns: [...standing, ...ground],
  forks: ['turns', ...standing, ...ground],
  routines: ['forks', 'turns', ...standing, ...ground],
  tools: ['routines', 'forks', 'turns', ...standing, ...ground],
  'bough.ts': ['tree'],
  ...Object.fromEntries(
    openers.map((file) => [
      file,
      ['bough.ts', ...openers, 'tools', 'routines', 'forks', 'turns', ...standing, ...ground],
    ]),
  ),
  wire: ['bough.ts', ...ground],
  client: ['wire', 'bough.ts', ...ground],
  server: ['wire', 'bough.ts', ...ground],
  tui: ['bough.ts', ...ground],
  discord: ['bough.ts', ...ground],
  cli: ['tui', 'discord', 'server', 'client', 'wire', 'open-bough.ts', 'bough.ts', ...ground],
}

it('knows every folder and file of src', async () => {
  const found = (await readdir(join(root, 'src'))).filter((name) => !name.endsWith('.test.ts'))
  expect(Object.keys(layers)).toEqual(expect.arrayContaining(found))
})

it('an arrow points only downwards, and a front end never reaches past bough.ts', async () => {
  const targets = Object.keys(layers).map((name) => (isFile(name) ? name : `${name}/any.ts`))
  const files = Object.keys(layers).map((name) => {
    const [path, up] = isFile(name) ? [name, './'] : [`${name}/deep/scratch.ts`, '../../']
    return [path, targets.map((target) => `import '${up}${target}'`)] as const
  })
  const found = await crossings(Object.fromEntries(files), /noRestrictedImports/)
  for (const [name, below] of Object.entries(layers)) {
    const refused = found.filter(({ path }) => ownerOf(path) === name).map(({ line }) => targets[line - 1])
    const above = targets.filter((target) => ![name, ...below].includes(target.replace('/any.ts', '')))
    // Nobody names the own folder from inside it, so either way is fine.
    expect(
      refused.filter((target) => target !== `${name}/any.ts`),
      name,
    ).toEqual(above)
  }
})

it('no form of import gets around it', async () => {
  const forms = [
    "import { a } from '../store/a.ts'",
    "import type { B } from '../agents/codex/b.ts'",
    "export { c } from '../open-bough.ts'",
    "export type * from '../forks/d.ts'",
    "export const e = await import('../turns/e.ts')",
    "export type F = import('../workspace/f.ts').F",
  ]
  const found = await crossings({ 'tui/scratch.ts': forms })
  expect(found.map(({ line }) => line)).toEqual(forms.map((_, index) => index + 1))
})

it('tests may reach where they need', async () => {
  const reach = ["import '../store/store.ts'", "import 'node:sqlite'"]
  expect(await crossings({ 'tui/a.test.ts': reach, 'tui/testing/ground.ts': reach })).toEqual([])
})

it('the tree has no I/O', async () => {
  const modules = ['fs', 'fs/promises', 'child_process', 'net', 'http', 'os', 'sqlite', 'timers/promises']
  const acts = ['process.env', "fetch('/')", 'crypto.randomUUID()', 'setTimeout(() => {}, 1)']
  const lines = [...modules.map((name) => `import 'node:${name}'`), ...acts]
  const found = await crossings({ 'tree/scratch.ts': [...lines, "import 'node:util'"] })
  expect(found.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1))
})

it('only the store opens a database, only workspace runs git, and few start programs', async () => {
  const lines = ["import 'node:sqlite'", "import 'node:child_process'", "spawn('git', ['status'])"]
  const folders = Object.keys(layers).filter((name) => !isFile(name) && name !== 'tree')
  const found = await crossings(Object.fromEntries(folders.map((name) => [`${name}/scratch.ts`, lines])))
  const free = (number: number): string[] =>
    folders.filter((name) => !found.some(({ path, line }) => ownerOf(path) === name && line === number))
  expect(free(1)).toEqual(['store'])
  expect(free(2)).toEqual(['agents', 'workspace', 'cli'])
  expect(free(3)).toEqual(['workspace'])
})

it('all that the rest knows of Discord is its port', async () => {
  const lines = [
    "import { Client } from 'discord.js'",
    "export const d = await import('discord.js')",
    "export { insist } from '../connection/insist.ts'",
  ]
  const allowed = ["import { connectDiscord } from '../connection/connect.ts'", "import '../port.ts'"]
  const found = await crossings({
    'discord/views/scratch.ts': [...lines, ...allowed],
    'discord/connection/scratch.ts': lines,
    'tui/scratch.ts': lines.slice(0, 2),
  })
  const refused = (path: string) => found.filter((each) => each.path === path).map(({ line }) => line)
  expect(refused('discord/views/scratch.ts')).toEqual([1, 2, 3])
  expect(refused('discord/connection/scratch.ts')).toEqual([])
  expect(refused('tui/scratch.ts')).toEqual([1, 2])
})

it('modules do not load each other in a circle', async () => {
  const found = await crossings({
    'tree/a.ts': ["export { b as a } from './b.ts'"],
    'tree/b.ts': ["export const b = async () => import('./a.ts')"],
    'tree/c.ts': ["export { b as c } from './b.ts'"],
  })
  expect(found.map(({ path }) => path)).toEqual(['tree/a.ts', 'tree/b.ts'])
})

const ownerOf = (path: string): string => path.split('/')[0] ?? ''

const isFile = (name: string): boolean => name.endsWith('.ts')

const report = z.object({
  diagnostics: z.array(
    z.object({
      category: z.string(),
      location: z.object({ path: z.string(), start: z.object({ line: z.number() }) }),
    }),
  ),
})

/** Lints files of a `src` by the rules of this one: where it refuses what, in order. */
async function crossings(
  files: Readonly<Record<string, readonly string[]>>,
  rules = /noRestrictedImports|noRestrictedGlobals|noImportCycles|^plugin$/,
): Promise<readonly { readonly path: string; readonly line: number }[]> {
  const project = await mkdtemp(join(tmpdir(), 'layers-'))
  for (const name of ['biome.json', 'lint'])
    await cp(join(root, name), join(project, name), { recursive: true })
  for (const [path, lines] of Object.entries(files)) {
    const file = join(project, 'src', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, lines.join('\n'))
  }
  const options = ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none', 'src']
  const { stdout } = await promisify(execFile)(biome, options, { cwd: project }).catch(
    (failed: { readonly stdout: string }) => failed,
  )
  return report
    .parse(JSON.parse(stdout))
    .diagnostics.filter(({ category }) => rules.test(category))
    .map(({ location: { path, start } }) => ({ path: path.replace(/^src\//, ''), line: start.line }))
    .toSorted((a, b) => a.path.localeCompare(b.path) || a.line - b.line)
}
