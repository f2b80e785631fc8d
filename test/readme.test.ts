import { execFile, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import type { Message } from '../src/tree/message.ts'
import type { Adoptable } from '../src/tree/native.ts'
import type { Session } from '../src/tree/session.ts'
import { fakeWithOwner } from './support/discord/real-client.ts'
import { startRegistry } from './support/local-registry.ts'
import { blocks, commandsIn } from './support/readme.ts'
import { realClaude, realCodex } from './support/real-agents.ts'
import { launcher } from './support/run-bough.ts'
import { until } from './support/until.ts'

const root = join(import.meta.dirname, '..')
const freshClone = join(root, 'test/long/fresh-clone.test.ts')

/** Those that another test runs, in a clone that nobody has prepared. */
const elsewhere: Readonly<Record<string, string>> = {
  'npm start': "'npm', ['start']",
  'npm test': "'npm', ['test']",
}

/** Those that go on until they are stopped, and what they say when they are there. */
const lasting: Readonly<Record<string, string>> = {
  'bough daemon': 'keeps time',
  'bough serve': 'Ctrl-C stops it',
  'bough discord --dir ~/notes': 'bough answers in your direct messages',
}

/** Somebody who follows the README in a home of their own, with `bough` on the path, and keys for the agents. */
function newReader(keys: NodeJS.ProcessEnv = {}) {
  const home = mkdtempSync(join(tmpdir(), 'reader-'))
  const project = join(home, 'soup')
  const bin = join(home, 'bin')
  const programs = join(home, 'npm', 'bin')
  for (const directory of [project, bin, join(home, 'notes'), join(home, 'tmp')]) mkdirSync(directory)
  writeFileSync(join(bin, 'bough'), `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`)
  chmodSync(join(bin, 'bough'), 0o755)
  const { BOUGH_HOME: _, ...rest } = process.env
  const env: NodeJS.ProcessEnv = {
    ...{ ...rest, ...keys },
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    PATH: [bin, programs, rest.PATH].join(delimiter),
    npm_config_prefix: join(home, 'npm'),
    npm_config_cache: join(home, 'cache'),
  }
  const sh = async (line: string, more: NodeJS.ProcessEnv = {}): Promise<string> => {
    const options = { cwd: project, env: { ...env, ...more }, maxBuffer: 1e8 }
    const running = promisify(execFile)('bash', ['-c', line], options)
    running.child.stdin?.end()
    return (await running).stdout
  }
  /** Starts one that lasts; resolves with what it has said when it is there. */
  const start = async (line: string, ready: string, more: NodeJS.ProcessEnv = {}): Promise<string> => {
    const child = spawn('bash', ['-c', `exec ${line}`], { cwd: project, env: { ...env, ...more } })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data))
    const ended = new Promise((resolve) => child.on('exit', resolve))
    onTestFinished(async () => {
      child.kill()
      await ended
    })
    await until(`${line} to be ready`, () => said.includes(ready))
    return said
  }
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: project, env })
  git('init', '--quiet')
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'begin')
  return { home, project, env, sh, start }
}

type Reader = ReturnType<typeof newReader>

/** The ids that stand in the README, as they are here. */
async function newIDs({ sh }: Reader): Promise<Readonly<Record<string, string>>> {
  const session = (await sh('bough new --agent offline --title Soup')).trim()
  await sh(`bough send ${session} 'write soup.txt: tomato'`)
  const messages: Message[] = JSON.parse(await sh(`bough log ${session} --json`))
  const last = messages.at(-1)?.id ?? ''
  const fork = (await sh(`bough fork ${session} --files same --title Pea`)).trim().split('\n').at(-1) ?? ''
  return { k3f9qa: session, '7x2m4c': last, p4m2ze: fork, 'ses_…': session, 'msg_…': last }
}

const withIDs = (line: string, ids: Readonly<Record<string, string>>): string =>
  Object.entries(ids).reduce((text, [name, id]) => text.replaceAll(name, id), line)

/** What has to be there before a command, and what a person would answer to it. */
async function prepared(
  line: string,
  reader: Reader,
  ids: Readonly<Record<string, string>>,
): Promise<string> {
  const { sh, start, project } = reader
  if (line.includes('bough exit')) {
    await sh(`printf '/fork herbs\\n/quit\\n' | bough chat ${ids.k3f9qa}`)
    const [open] = JSON.parse(await sh('bough runs --json'))
    return withIDs(line, { ...ids, p4m2ze: open.sessionID })
  }
  if (line.includes('x7k2mp')) {
    await start(`bough send ${ids.k3f9qa} 'run true'`, 'bough approve')
    const [asked] = JSON.parse(await sh('bough approve --json'))
    return line.replace('x7k2mp', asked.id)
  }
  if (line === 'bough import 1f0c2a4e') {
    const found: Adoptable[] = JSON.parse(await sh('bough import --json'))
    return line.replace('1f0c2a4e', found.find(({ sessionID }) => sessionID === null)?.nativeID ?? '')
  }
  if (line.startsWith('bough resume')) {
    const sessions: Session[] = JSON.parse(await sh('bough ls --json'))
    const { id = '' } = sessions.find(({ agent, messages }) => agent === 'claude' && messages > 0) ?? {}
    return withIDs(line, { k3f9qa: id })
  }
  if (line.includes('--files restore')) {
    writeFileSync(join(project, 'soup.txt'), 'leek\n')
    return `${withIDs(line, ids)} --yes`
  }
  if (line.startsWith('bough undo')) return `${line} --yes`
  if (line.startsWith('bough chat')) return `printf '/tree\\n/quit\\n' | ${withIDs(line, ids)}`
  if (line.includes('-N')) return `${line} --max-time 1 || [ $? = 28 ]`
  return withIDs(line, ids)
}

/** What npm puts beside a package for this kind of machine, and the registry here does not have. */
function addProgram({ home }: Reader, name: string): void {
  const program = `${name}-${process.platform}-${process.arch}`
  const place = join(home, 'npm/lib/node_modules', name, 'node_modules', program)
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(join(root, 'node_modules', program), place)
}

it('every command in the README runs', { timeout: 180_000 }, async () => {
  const [claude, codex] = [await realClaude(), await realCodex()]
  const reader = newReader({ ...claude.env, ...codex.env, npm_config_registry: await startRegistry() })
  const { sh, start, project } = reader
  const { fake, owner } = await fakeWithOwner()
  await sh('bough config agent offline')
  await claude.byHand(project, 'what goes into a soup?')
  const ids = await newIDs(reader)
  let here: Readonly<Record<string, string>> = {
    '"…"': `"${fake.token}"`,
    '123456789012345678': owner.id,
  }
  for (const block of blocks('sh')) {
    let before = ''
    for (const line of commandsIn(block)) {
      const other = elsewhere[line]
      const ready = lasting[line]
      if (other !== undefined) expect(readFileSync(freshClone, 'utf8'), line).toContain(other)
      else if (ready !== undefined) {
        const port = line === 'bough serve' ? ' --port 0' : ''
        const said = await start(`${line}${port}`, ready, { DISCORD_API_BASE: fake.api })
        const [, address] = /serves at http:\/\/(\S+:\d+)/.exec(said) ?? []
        if (address) here = { ...here, 'localhost:4517': address }
      } else if (/^\w+=/.test(line)) before = `${line}\n`
      else {
        const command = withIDs(await prepared(line, reader, ids), here)
        const stdout = await sh(before + command, { DISCORD_API_BASE: fake.api }).catch((cause) => {
          throw new Error(`README: ${line}`, { cause })
        })
        if (line.startsWith('curl')) expect(stdout, line).not.toMatch(/"code":/)
        const [, name] = /^npm install -g (\S+)/.exec(line) ?? []
        if (name !== undefined) addProgram(reader, name)
        if (line === 'bough config agent codex') await sh('bough config agent offline')
      }
    }
  }
  const programs = join(reader.home, 'npm')
  expect(await sh('bough doctor', { DISCORD_API_BASE: fake.api })).toMatch(new RegExp(`codex.*${programs}`))
  const agents = JSON.parse(await sh('bough ls --json')).map(({ agent }: Session) => agent)
  expect(new Set(agents)).toEqual(new Set(['offline', 'claude', 'codex']))
  expect(codex.conversations().flat().join()).toContain('tomato')
})

it('the program in TypeScript that the README shows runs', async () => {
  const { sh, start, project } = newReader()
  await sh('bough config agent offline')
  const said = await start('bough serve --port 0', 'Ctrl-C stops it')
  const [, url = ''] = /serves at (http:\/\/\S+:\d+)/.exec(said) ?? []
  const [block = ''] = blocks('ts')
  const client = join(launcher, '../../lib/client.js')
  const program = block
    .replace("'bough/client'", JSON.stringify(client))
    .replace("'http://127.0.0.1:4517'", JSON.stringify(url))
  writeFileSync(join(project, 'program.mts'), `${program}\nawait bough.close()\n`)
  expect(await sh(`"${process.execPath}" program.mts`)).toContain('make tomato soup')
})
