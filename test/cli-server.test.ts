import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createOfflineDriver } from '../src/agents/offline/offline.ts'
import { thisProcess } from '../src/process-identity.ts'
import { announce, findServer } from '../src/server/announcement.ts'
import type { Message } from '../src/tree/message.ts'
import type { NativeMessage } from '../src/tree/native.ts'
import { newHome, turn } from './support/bough.ts'
import { commandRuns, endCommands, tellToEnd } from './support/commands.ts'
import { portOf } from './support/port-of.ts'
import { complaintsIn, short } from './support/refused.ts'
import { createWorld, type Ended, type Running, type World } from './support/run-bough.ts'
import { ScriptedAgent, says } from './support/scripted-agent.ts'
import { connectForTest, serveForTest } from './support/server.ts'
import { count } from './support/size.ts'

/** Commands without a server, on its data. */
let here: World
/** Commands that go to the server, of somebody whose own data is elsewhere. */
let there: World
let server: Running
let url: string

const homeOf = (data: string) => ({ data, config: join(data, 'config.json') })

beforeAll(async () => {
  here = createWorld()
  mkdirSync(here.home, { recursive: true })
  writeFileSync(
    join(here.home, 'config.json'),
    JSON.stringify({ permissions: { allow: ['run(sh wait.sh)'] } }),
  )
  server = here.start(['serve', '--port', '0', '--grace', '0'])
  await server.shows('Ctrl-C stops it')
  const found = await findServer(homeOf(here.home))
  if (!found?.tokenFile) throw new Error('It says nothing of itself.')
  url = found.url
  there = createWorld()
  Object.assign(there.env, { BOUGH_SERVER: url, BOUGH_TOKEN: readFileSync(found.tokenFile, 'utf8').trim() })
})

afterAll(async () => {
  server.child.kill('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
  // Nothing was done behind the server's back: where its client is, nobody has opened anything.
  expect(existsSync(there.home)).toBe(false)
})

/** Through the server, in the directory that it was started for. */
const bough = (args: readonly string[], input?: string): Promise<Ended> =>
  there.bough(args, { cwd: here.project, ...(input !== undefined && { input }) })

async function ok(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await bough(args)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

const json = async (...args: readonly string[]): Promise<unknown> => JSON.parse(await ok(...args, '--json'))

const newSession = async (...options: readonly string[]): Promise<string> =>
  (await ok('new', ...options)).trim()

/** What was said in the agent's own tool. */
const ownWords = (nativeID: string): readonly NativeMessage[] =>
  (['user', 'assistant'] as const).map((role) => ({
    role,
    parts: [{ type: 'text', text: `${role} by hand` }],
    status: 'complete',
    created: 0,
    nativeID: `${nativeID}:${crypto.randomUUID()}`,
  }))

const messagesOf = async (id: string): Promise<readonly Message[]> =>
  JSON.parse(await ok('log', id, '--json'))

describe('through a server', () => {
  it('sessions begin, are talked in and forked; and all that is shown is the same as without it', async () => {
    const options = ['--title', 'Soup', '--agent', 'offline', '--model', 'ladle']
    const root = await newSession(...options)
    const said = await json('send', root, 'write menu.md: one')
    expect(await messagesOf(root)).toEqual(said)
    expect((await bough(['send', root, '-'], 'write menu.md: two\n')).stdout).toContain('write menu.md: done')
    const [first] = await messagesOf(root)
    const at = `${short(root)}@${short(first?.id ?? '')}`
    const forked = await json('fork', at, '--files', 'same', '--prompt', 'plums', '--title', 'Plums')
    expect(forked).toMatchObject({ session: { parentID: root, title: 'Plums' }, messages: [{}, {}] })
    const [{ id: plums = '' } = {}] = JSON.parse(await ok('ls', '--limit', '1', '--json'))

    const asked: readonly (readonly string[])[] = [
      ...[
        ['tree', root],
        ['log', plums],
        ['files', root, '--now'],
        ['diff', root, plums, '--files'],
        ['import'],
      ],
      ...[
        ['ls', '--dir', '.'],
        ['files', root],
        ['export', at],
        ['routine', 'ls'],
        ['gc', '--dry-run'],
      ],
    ]
    for (const args of asked.slice(0, count(asked.length, 5))) {
      const [through, without] = await Promise.all([ok(...args, '--json'), here.ok(...args, '--json')])
      expect(timeless(through), args.join(' ')).toEqual(timeless(without))
    }
    expect((await ok('ls')).split('\n')[1]).toMatch(new RegExp(`^${short(plums)}  Plums`))
    expect(await ok('completion', 'sessions', '')).toContain(`${short(root)}\tSoup`)
    expect(await ok('rm', '--yes', plums)).toBe(`Deleted "Plums" ${short(plums)}.\n`)
  })

  it('files are put back, and that is taken back', async () => {
    const id = await newSession()
    await ok('send', id, 'write soup.md: one')
    const before = (await messagesOf(id)).at(-1)
    await ok('send', id, 'write soup.md: two')
    const soup = () => readFileSync(join(here.project, 'soup.md'), 'utf8').trim()
    await ok('fork', `${id}@${before?.id}`, '--files', 'restore', '--yes')
    expect(soup()).toBe('one')
    expect(await ok('undo')).toContain('1 file put back')
    expect(soup()).toBe('two')
  })

  it('forks come back, and the server runs what runs unattended', async () => {
    const id = await newSession('--title', 'Main')
    await ok('send', id, 'apples')
    const run = await json(
      'run',
      id,
      '--background',
      '--wait',
      'tool report_updates {"message": "Figs are ripe"}',
    )
    expect(run).toMatchObject({ kind: 'background', state: 'ended', reported: true })
    expect(await json('updates', id)).toMatchObject([{ text: 'Figs are ripe' }])
    expect(await ok('updates', id, '--clear')).toBe('Forgot 1 update.\n')
    const begun = (await ok('fork', id, '--background', '--prompt', 'sleep 60')).trim()
    expect(await ok('exit', begun, '--report', 'Enough')).toContain('reported')
    expect((await bough(['chat', id], '/fork pears\n')).stdout).toContain('── Forked session: pears')
    const [open] = JSON.parse(await ok('runs', '--json'))
    expect(open).toMatchObject({ kind: 'interactive', state: 'open' })
    expect(await ok('exit', open.sessionID, '--discard')).toContain('discarded')
  })

  it('schedules are kept, and the server keeps time', async () => {
    const id = await newSession()
    const added = await bough(['routine', 'add', id, '--cron', '0 8 * * *', 'What is due?'])
    expect(added.stderr).toMatch(new RegExp(`It runs while the server at ${RegExp.escape(url)} is up`))
    expect(await json('routine', 'run', short(added.stdout.trim()))).toMatchObject({ kind: 'background' })
    expect(await json('remind', id, '2h', 'The oven')).toMatchObject({ kind: 'reminder', prompt: 'The oven' })
    expect(await ok('routine', 'rm', added.stdout.trim())).toContain('will not run again')
    expect(await ok('daemon')).toBe(`The server at ${url} keeps time itself. There is nothing to do here.\n`)
    expect(await ok('daemon', '--until-idle')).toContain('keeps time itself')
  })

  it('what agents ask is answered, but not by an agent', async () => {
    const id = await newSession()
    const running = there.start(['send', id, 'run touch made.txt'], { cwd: here.project })
    await running.shows('bough approve ')
    const typed = (await ok('approve')).slice(0, 6)
    const asAgent = await there.bough(['approve', typed], { env: { BOUGH_AGENT: '1' } })
    expect(asAgent).toMatchObject({ code: 1, stderr: expect.stringContaining('An agent may not use') })
    expect(await ok('approve', typed)).toBe('Allowed: run: touch made.txt\n')
    expect((await running.ended).code).toBe(0)
  })

  it('a session is exported to a file here, and imported from it', async () => {
    const id = await newSession('--title', 'Broth')
    await ok('send', id, 'hello')
    const file = join(await mkdtemp(join(tmpdir(), 'export-')), 'broth.json')
    await ok('export', id, '--output', file)
    const imported = await json('import', file)
    expect(imported).toMatchObject([{ title: 'Broth', messages: 2, directory: here.project }])
    const unknown = await bough(['import', 'nobody-knows'])
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('nobody-knows') })
  })

  it('the doctor says which server is used, and how it goes with its agents', async () => {
    const checks = [await json('doctor')].flat()
    expect(checks.slice(0, 2)).toMatchObject([
      { name: 'Node', ok: true },
      { name: 'server', ok: true, detail: expect.stringContaining(`${url} answers`) },
    ])
    expect(checks.at(-1)).toMatchObject({ name: 'offline', ok: true })
    const none = await there.bough(['doctor', '--server', 'http://127.0.0.1:1'])
    expect(none).toMatchObject({ code: 1, stdout: expect.stringContaining('✗ server: No server answers') })
    expect(await here.ok('doctor')).toContain(`✓ server: runs for this data at ${url}`)
  })

  it('the terminal UI says what it needs where there is no terminal, and what goes without', async () => {
    const own = await mkdtemp(join(tmpdir(), 'own-'))
    const alone = await there.bough(['--server', url], { env: { BOUGH_HOME: own } })
    expect(alone).toMatchObject({ code: 2, stdout: '' })
    expect(alone.stderr).toMatch(/^bough: The terminal UI needs a terminal\. .*\n$/)
    expect(alone.stderr).toContain(`"bough ls --server ${url}" lists`)
    expect(readdirSync(own)).toEqual([])
  })

  it('the demo and the options are of this machine, and say so', async () => {
    const own = await mkdtemp(join(tmpdir(), 'own-'))
    const demo = await there.bough(['demo'], { env: { BOUGH_HOME: own } })
    expect(demo.stderr).toContain(
      'bough: the demo is made in the data of this machine, without the server.\n',
    )
    expect(demo.stdout).toContain(join(own, 'demo'))
    await there.bough(['config', 'permissions.timeout', '60'], { env: { BOUGH_HOME: own } })
    expect(JSON.parse(readFileSync(join(own, 'config.json'), 'utf8'))).toEqual({
      permissions: { timeout: 60 },
    })
  })

  it('is what --server names, before a command or after it, whatever BOUGH_SERVER is', async () => {
    const env = { BOUGH_SERVER: 'http://127.0.0.1:1' }
    const [before, after, joined] = await Promise.all(
      [
        ['--server', url, 'ls'],
        ['ls', '--server', url],
        ['--server', url, '--json=no', 'ls'],
      ].map((args) => there.bough(args, { env, cwd: here.project })),
    )
    expect(before).toMatchObject({ code: 0, stdout: expect.stringContaining('agent') })
    expect(after).toMatchObject({ code: 0, stdout: before?.stdout })
    expect(joined).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no option "--json=no"'),
    })
  })
})

describe('what is wrong with a server is told in one line, with what to do', () => {
  const tokenless = { BOUGH_TOKEN: '' }

  it.each<[string, readonly string[], NodeJS.ProcessEnv, number, string | RegExp]>([
    ['no address', ['ls', '--server', 'nonsense'], {}, 2, 'needs the address of a server, like http://127'],
    ['a path', ['ls', '--server', 'http://localhost:1/x'], {}, 2, 'takes no path: write http://localhost:1'],
    ['nobody', ['ls', '--server', 'http://127.0.0.1:1'], {}, 1, 'No server answers at http://127.0.0.1:1'],
    ['nobody, and no token', ['ls', '--server', 'http://127.0.0.1:1'], tokenless, 1, 'No server answers at'],
    ['a wrong token', ['ls'], { BOUGH_TOKEN: 'x'.repeat(30) }, 1, /not the token.*Set BOUGH_TOKEN/],
    ['no token', ['ls'], tokenless, 1, /is not known here\. Set BOUGH_TOKEN/],
    ['no token for elsewhere', ['ls', '--server', 'http://a.example'], tokenless, 1, 'Set BOUGH_TOKEN'],
    ['a token that is none', ['ls'], { BOUGH_TOKEN: 'a b' }, 2, 'BOUGH_TOKEN has spaces'],
    ['no token file', ['ls', '--token-file', 'nowhere'], tokenless, 2, 'There is no token file nowhere'],
    [
      'another directory',
      ['new', '--dir', '/'],
      {},
      1,
      /No session works in that directory.*--workspace DIR/,
    ],
    ['another server', ['serve', '--server', 'http://localhost:1'], {}, 2, 'is the server itself'],
  ])('%s', async (_, args, env, code, complaint) => {
    const ended = await there.bough(args, { env })
    const told = complaintsIn(ended.stderr)
    expect(told).toMatch(/^bough: [^\n]+\n$/)
    expect(told).toMatch(complaint)
    expect(ended).toMatchObject({ code, stdout: '' })
  })

  it.each([200, 404])('something else, which answers with %i', async (status) => {
    const other = createServer((_, answer) => void answer.writeHead(status).end('<p>Hello'))
    await once(other.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void other.close())
    const at = `http://127.0.0.1:${portOf(other)}`
    const ended = await bough(['ls', '--server', at])
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toContain(`What answers at ${at} is no bough server.`)
  })

  it('a second one for the same data', async () => {
    const ended = await here.bough(['serve', '--port', new URL(url).port])
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toContain(`a server for this data runs already, at ${url}.`)
  })

  it('https', async () => {
    const ended = await bough(['ls', '--server', url.replace('http:', 'https:')])
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`speaks http: write ${url},`) })
  })

  it('The token is also found in the file that is named, or that the server of this machine names', async () => {
    const file = join(here.home, 'token')
    const named = await there.bough(['ls', '--token-file', file], { env: tokenless })
    expect(named).toMatchObject({ code: 0 })
    expect((await here.bough(['ls', '--server', url])).stdout).toBe(named.stdout)
    await chmod(file, 0o644)
    const open = await there.bough(['ls', '--token-file', file], { env: tokenless })
    await chmod(file, 0o600)
    expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining('chmod 600') })
  })
})

/** JSON without what differs from one look to the next. */
const timeless = (printed: string): unknown =>
  JSON.parse(printed, (key, value) => (key === 'exported' || key === 'created' ? 0 : value))

/** Says "bark twig leaf", and then waits until it is told to go on. */
const slow = 'words 3\nrun sh wait.sh\nwords 1'

interface Waiting {
  readonly id: string
  readonly directory: string
}

/** A session, in whose directory `tellToEnd` lets the slow turn go on that was begun there. */
async function waitingTurn(begin: (id: string) => unknown, world = here): Promise<Waiting> {
  const directory = await mkdtemp(join(world.project, 'slow-'))
  writeFileSync(join(directory, 'wait.sh'), 'echo $$ $$ >> pids; while [ ! -e told ]; do sleep 0.05; done')
  const id = (await world.ok('new', '--dir', directory, '--title', 'Slow')).trim()
  await begin(id)
  await commandRuns(directory)
  onTestFinished(() => endCommands(directory))
  return { id, directory }
}

/** The same, with the command that sent it. */
async function sentTurn(through: World, world = here): Promise<Waiting & { readonly turn: Running }> {
  const sent = Promise.withResolvers<Running>()
  const waiting = await waitingTurn((id) => sent.resolve(through.start(['send', id, slow])), world)
  return { ...waiting, turn: await sent.promise }
}

describe('a turn', () => {
  it('is seen through a server as it is said, and Ctrl-C interrupts it', async () => {
    const id = await newSession()
    const running = there.start(['send', id, 'words 5\nsleep 60'])
    await running.shows('bark')
    expect(running.child.exitCode).toBeNull()
    running.child.kill('SIGINT')
    expect(await running.ended).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('bough: The turn was interrupted: '),
    })
  })

  it('that runs in a local server is followed live by who names no server, and what is sent comes after it', async () => {
    const { id, directory, turn } = await sentTurn(there)
    const [log, lines] = [
      ['log', id, '-f'],
      ['log', id, '--follow', '--json'],
    ].map((args) => here.start(args))
    const send = here.start(['send', id, 'plums'])
    const chat = here.start(['chat', id], { input: 'figs\n' })
    await Promise.all([
      log?.shows('bark twig leaf'),
      chat.shows('bark twig leaf'),
      lines?.shows('"role":"user"'),
    ])
    await send.shows(
      'bough: a turn runs in this session: “words 3 run sh wait.sh words 1”. Yours comes after it.',
    )
    expect(turn.child.exitCode).toBeNull()
    await tellToEnd(directory)
    expect((await turn.ended).code).toBe(0)
    expect(await send.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('“plums”') })
    const chatted = await chat.ended
    expect(chatted).toMatchObject({ code: 0, stdout: expect.stringContaining('“figs”') })
    expect(chatted.stdout.match(/bark twig leaf/g)).toHaveLength(1)
    await Promise.all([log?.shows('You just told me: “figs”'), lines?.shows('You just told me: “figs”')])
    log?.child.kill('SIGINT')
    lines?.child.kill('SIGINT')
    expect((await log?.ended)?.code).toBe(0)
    const printed = (await lines?.ended)?.stdout.trimEnd().split('\n') ?? []
    expect(printed.map((line) => JSON.parse(line).id)).toEqual(
      (await messagesOf(id)).map((message) => message.id),
    )
  })

  it('that a found server runs goes on when the command that sent it is gone', async () => {
    const { id, directory } = await sentTurn(there)
    const send = here.start(['send', id, 'words 2'])
    await send.shows('Yours comes after it')
    await tellToEnd(directory)
    await send.shows('bark')
    send.child.kill('SIGKILL')
    const follower = here.start(['log', id, '--follow'])
    await follower.shows('words 2: done')
    follower.child.kill('SIGTERM')
    await follower.ended
    expect((await messagesOf(id)).at(-1)).toMatchObject({ role: 'assistant', status: 'complete' })
  })

  it('is interrupted by Ctrl-C in a chat that shows it, but not by ending the chat', async () => {
    const { id, turn } = await sentTurn(there)
    const left = here.start(['chat', id])
    await left.shows('bark twig leaf')
    left.child.kill('SIGTERM')
    expect((await left.ended).code).toBe(143)
    expect(turn.child.exitCode).toBeNull()
    const chat = here.start(['chat', id])
    await chat.shows('bark twig leaf')
    chat.child.kill('SIGINT')
    expect(await chat.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('was interrupted') })
    expect(await turn.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('was interrupted') })
  })

  it('of another process is followed in the store where the server that is announced does not answer', async () => {
    const alone = createWorld()
    mkdirSync(alone.home, { recursive: true })
    writeFileSync(
      join(alone.home, 'config.json'),
      JSON.stringify({ permissions: { allow: ['run(sh wait.sh)'] } }),
    )
    const tokenFile = join(alone.home, 'token')
    writeFileSync(tokenFile, 'a'.repeat(40), { mode: 0o600 })
    const silent = { url: 'http://127.0.0.1:1', tokenFile, process: thisProcess() }
    onTestFinished(await announce(homeOf(alone.home), silent))
    const { id, directory, turn } = await sentTurn(alone, alone)
    const log = alone.start(['log', id, '--follow'])
    const send = alone.start(['send', id, 'plums'])
    await Promise.all([log.shows('bark twig leaf'), send.shows('Yours comes after it')])
    await tellToEnd(directory)
    expect((await turn.ended).code).toBe(0)
    expect(await send.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('“plums”') })
    await log.shows('You just told me: “plums”')
    log.child.kill('SIGINT')
    expect((await log.ended).code).toBe(0)
  })
})

it('The token of a server is not for the agents that run here', async () => {
  const alone = createWorld()
  mkdirSync(alone.home, { recursive: true })
  writeFileSync(
    join(alone.home, 'config.json'),
    JSON.stringify({ permissions: { allow: ['run(printenv*)'] } }),
  )
  const id = (await alone.ok('new')).trim()
  const env = { BOUGH_TOKEN: 'not-for-agents-of-this-machine' }
  const said = await alone.bough(['send', id, 'run printenv PATH\nrun printenv BOUGH_TOKEN'], { env })
  expect(said.stderr).toMatch(/← \/.*✗ exit 1/s)
  expect(said.stdout + said.stderr).not.toContain(env.BOUGH_TOKEN)
})

it('A turn that nobody showed is shown live in a chat that is opened, and its reply not a second time', async () => {
  const client = await connectForTest({ url, token: there.env.BOUGH_TOKEN ?? '' })
  const said = Promise.withResolvers<void>()
  const { id, directory } = await waitingTurn(async (typed) => {
    const channel = await client.channelOf((await client.findSession(typed)).id)
    client.say(channel.id, { kind: 'message', text: slow }).then(said.resolve, said.reject)
  })
  const chat = here.start(['chat', id])
  await chat.shows('bark twig leaf')
  await tellToEnd(directory)
  await said.promise
  const { stdout } = await chat.ended
  expect(stdout.match(/Instructions done/g)).toHaveLength(1)
})

it('A log that is followed goes on after its newest message, so a message is not named with it', async () => {
  const ended = await here.bough(['log', 'abcdef@abcdef', '--follow'])
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('Leave out the message') })
})

it("A session is adopted, lent to its agent's own tool, and what is said there joins it", async () => {
  const home = await newHome()
  const agent = new ScriptedAgent('script', async function* () {
    yield { type: 'text', text: 'aye' }
    yield { type: 'message-finished' }
  })
  const { native } = agent.driver
  if (!native) throw new Error('It has no history.')
  const driver = {
    ...agent.driver,
    native: {
      ...native,
      read: async (nativeID: string) => {
        const history = await native.read(nativeID)
        return { ...history, session: { ...history.session, directory: home.project } }
      },
      list: async () => [...agent.sessions.keys()].map((nativeID) => ({ ...known, nativeID })),
      command: async ({ nativeID }: { readonly nativeID: string }) => {
        agent.sessions.get(nativeID)?.push(...ownWords(nativeID))
        return { command: ['echo', 'in its own tool'] as const, nativeID }
      },
    },
  }
  const known = { title: 'Kept', directory: home.project, created: 1, updated: 2, bytes: 3, forkedFrom: null }
  const served = await serveForTest(home, { bough: { drivers: [createOfflineDriver(), driver] } })
  const env = { BOUGH_SERVER: served.url, BOUGH_TOKEN: served.token }
  const run = (...args: readonly string[]) => there.bough(args, { env, cwd: home.project })
  const { id } = await served.bough.create({ directory: home.project, agent: 'script', title: 'Lent' })
  await turn(served.bough, id, 'ahoy')
  agent.sessions.set('script-kept', [...ownWords('script-kept')])

  const listed: readonly { readonly nativeID: string }[] = JSON.parse((await run('import', '--json')).stdout)
  expect(listed.map(({ nativeID }) => nativeID).toSorted()).toEqual(['script-0', 'script-kept'])
  expect(await run('import', 'script-k')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('2 messages'),
  })
  expect((await run('import', '--all')).stderr).toContain(`for ${home.project} are here already.`)

  expect((await run('resume', id)).stdout).toBe(`cd ${home.project} && echo 'in its own tool'\n`)
  const lent = await run('resume', id, '--exec', '--', 'with more')
  expect(lent).toMatchObject({ code: 0, stdout: 'in its own tool with more\n' })
  expect(lent.stderr).toContain(`messages joined ${short(id)}`)
})

it("The token of a server, and that of a bot, are not for the agent's own tool that a client starts", async () => {
  const home = await newHome()
  const agent = new ScriptedAgent('script', () => says('aye'))
  const { native } = agent.driver
  if (!native) throw new Error('It has no history.')
  const command = async ({ nativeID }: { readonly nativeID: string }) => ({
    ...{ command: ['printenv'] as const, nativeID },
  })
  const driver = { ...agent.driver, native: { ...native, command } }
  const served = await serveForTest(home, { bough: { drivers: [driver] } })
  const { id } = await served.bough.create({ directory: home.project, agent: 'script' })
  await turn(served.bough, id, 'ahoy')
  const env = { BOUGH_SERVER: served.url, BOUGH_TOKEN: served.token, DISCORD_TOKEN: 'that.of.a.bot' }
  const { code, stdout } = await there.bough(['resume', id, '--exec'], { env, cwd: home.project })
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^PATH=/m) })
  expect(stdout).not.toMatch(/BOUGH_TOKEN|DISCORD_TOKEN/)
})

it('A command without a server loads nothing that only servers and their clients need', async () => {
  const note = `import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) { process._rawDebug('loads ' + url); return next(url, context) } })`
  const watched = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(note)}` }
  const loaded = async (world: World): Promise<readonly string[]> => {
    const { stderr } = await world.bough(['ls'], { env: watched })
    const files = stderr.match(/(?<=^loads )file:.*$/gm) ?? []
    const texts = await Promise.all(files.map((file) => readFile(new URL(file), 'utf8')))
    // The bundler notes which source file each piece comes from.
    return texts.flatMap((text) => text.match(/(?<=^\/\/ )(?:src|node_modules)\/.*$/gm) ?? [])
  }
  const needed = /zod|hono|src\/(client|wire|server)\/|cli\/server\/open/
  const without = await loaded(createWorld())
  expect(without.filter((line) => /open-bough\.ts$/.test(line))).toHaveLength(1)
  expect(without.filter((line) => needed.test(line))).toEqual([])
  expect((await loaded(there)).filter((line) => needed.test(line))).not.toEqual([])
})
