import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { portOf } from './support/port-of.ts'
import { ask } from './support/raw-http.ts'
import { refused } from './support/refused.ts'
import { createWorld, launcher, type Running, type World } from './support/run-bough.ts'
import { count } from './support/size.ts'

// The program that people start, and what it makes.

/** Starts a server, which ends with its test; resolves when it says where it is. */
async function serve(world: World, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const running = world.start(['serve', '--port', '0', ...args], { env })
  let out = ''
  running.child.stdout?.on('data', (text: string) => {
    out += text
  })
  onTestFinished(async () => void (await stop(running)))
  await running.shows('Ctrl-C')
  return { ...running, url: /at (http:\S+)/.exec(out)?.[1] ?? '' }
}

async function stop({ child, ended }: Running) {
  child.kill('SIGTERM')
  return ended
}

const tokenOf = (world: World): string => readFileSync(join(world.home, 'token'), 'utf8').trim()

const lanAddress = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

it('Without a port it is 4517, and without a host this machine alone', async () => {
  const world = createWorld()
  // Somebody may have that port: it is noted, and another is listened on.
  const note = `import { Server } from 'node:net'
    const { listen } = Server.prototype
    Server.prototype.listen = function (port, host) {
      process._rawDebug('listens on ' + host + ', port ' + port)
      return listen.call(this, 0, host)
    }`
  const watched = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(note)}` }
  const running = world.start(['serve'], { env: watched })
  onTestFinished(async () => void (await stop(running)))
  await running.shows('Ctrl-C')
  expect((await stop(running)).stderr).toBe('listens on 127.0.0.1, port 4517\n')
})

it('A workspace that is not there is refused', async () => {
  await refused(createWorld(), ['serve', '--port', '0', '--workspace', '/nope'], 2, 'no directory /nope')
})

it('A port that somebody has is no wrong use: it ends with 1, and says what to do', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const port = String(portOf(taken))
  const told = `Port ${port} is taken. Name another with --port`
  await refused(createWorld(), ['serve', '--port', port], 1, told)
})

const firstForAll = '/proc/sys/net/ipv4/ip_unprivileged_port_start'
it.runIf(existsSync(firstForAll) && Number(readFileSync(firstForAll, 'utf8')) > 81)(
  'A port that needs root is refused, and says what to do',
  async () => {
    const right = '-net_bind_service'
    const asAnybody =
      process.getuid?.() === 0 ? ['setpriv', `--bounding-set=${right}`, `--inh-caps=${right}`] : []
    const [program = '', ...args] = [...asAnybody, process.execPath, launcher]
    const world = createWorld({ command: [program, ...args], env: process.env })
    await refused(world, ['serve', '--port', '81'], 2, /Port 81 .* need root\. Name another with --port\./)
  },
)

describe('an address that others can reach', () => {
  const reachable = ['0.0.0.0', ...(lanAddress ? [lanAddress] : []), '::', '192.0.2.1', 'example.org', '0']
  it.each(reachable.slice(0, count(reachable.length, 2)))(
    'is refused unless the person says so (%s)',
    async (host) => {
      const world = createWorld()
      await refused(world, ['serve', '--port', '0', '--host', host], 2, /--public/)
    },
  )

  it('is served when they do, and the server says what that means', async () => {
    const world = createWorld()
    const server = await serve(world, ['--host', '0.0.0.0', '--public'])
    await server.shows('Other machines may reach it')
    const { port } = new URL(server.url)
    const local = { url: `http://127.0.0.1:${port}` }
    expect((await ask(local, { path: '/health' })).status).toBe(200)
    expect((await ask(local, { path: '/session' })).status).toBe(401)
    expect((await ask(local, { path: '/health', headers: { host: `evil.example:${port}` } })).status).toBe(
      403,
    )
    if (lanAddress)
      expect((await ask({ url: `http://${lanAddress}:${port}` }, { path: '/health' })).status).toBe(200)
  })

  it('loopback needs no word, and only loopback is listened on', async () => {
    const world = createWorld()
    const { url } = await serve(world)
    expect(new URL(url).hostname).toBe('127.0.0.1')
    if (lanAddress)
      await expect(
        ask({ url: `http://${lanAddress}:${new URL(url).port}` }, { path: '/health' }),
      ).rejects.toMatchObject({
        code: 'ECONNREFUSED',
      })
  })
})

describe('the token file', () => {
  it('is for its owner alone, and the token itself is never printed', async () => {
    const world = createWorld()
    const server = await serve(world)
    const token = tokenOf(world)
    expect(statSync(join(world.home, 'token')).mode & 0o777).toBe(0o600)
    expect(statSync(world.home).mode & 0o777).toBe(0o700)
    const headers = { authorization: `Bearer ${token}` }
    expect((await ask(server, { path: '/session', headers })).status).toBe(200)
    const { stdout, stderr } = await stop(server)
    expect(stdout + stderr).not.toContain(token)
    expect(stdout).toContain(join(world.home, 'token'))
  })

  it('may be one that is named: it is made for its owner alone, said, and lets clients in', async () => {
    const [world, elsewhere] = [createWorld(), createWorld()]
    const file = join(world.project, 'my-token')
    const server = await serve(world, ['--token-file', file])
    await server.shows(`Its token is in ${file}.`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(existsSync(join(world.home, 'token'))).toBe(false)
    const there = ['--server', server.url, '--token-file', file]
    const made = await elsewhere.bough(['new', '--title', 'Soup', ...there], { cwd: world.project })
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(await elsewhere.ok('ls', ...there)).toContain('Soup')
    await stop(server)
    expect(readFileSync(file, 'utf8').trim().length).toBeGreaterThanOrEqual(16)
    expect(await world.ok('ls')).toContain('Soup')
  })

  it('is shared by servers that start at once', async () => {
    const world = createWorld()
    const servers = await Promise.all([serve(world), serve(world)])
    expect(new Set(servers.map(({ url }) => url)).size).toBe(2)
    const headers = { authorization: `Bearer ${tokenOf(world)}` }
    for (const server of servers) expect((await ask(server, { path: '/session', headers })).status).toBe(200)
  })

  it('is refused when others can read it, when it is a link or a directory, empty or too short', async () => {
    const world = createWorld()
    mkdirSync(world.home, { recursive: true })
    const file = (name: string, text: string, mode = 0o600) => {
      const path = join(world.project, name)
      writeFileSync(path, text)
      chmodSync(path, mode)
      return path
    }
    const good = file('good', 'a'.repeat(40))
    const link = join(world.project, 'link')
    symlinkSync(good, link)
    mkdirSync(join(world.project, 'directory'))
    const cases: readonly (readonly [string, RegExp])[] = [
      [file('group', 'a'.repeat(40), 0o640), /chmod 600/],
      [file('all', 'a'.repeat(40), 0o644), /chmod 600/],
      [link, /symbolic link/],
      [join(world.project, 'directory'), /is no file/],
      [file('empty', ''), /16 characters/],
      [file('short', 'secretive'), /16 characters/],
    ]
    // Each case by itself is tested beside the source.
    for (const [path, complaint] of cases.slice(0, count(cases.length, 1)))
      await refused(world, ['serve', '--port', '0', '--token-file', path], 2, complaint)
    const { stderr } = await world.bough([
      'serve',
      '--port',
      '0',
      '--token-file',
      join(world.project, 'short'),
    ])
    expect(stderr).not.toContain('secretive')
  })

  it('is not needed with BOUGH_TOKEN, which must be good enough and is not printed', async () => {
    const world = createWorld()
    await refused(world, ['serve', '--port', '0'], 2, /BOUGH_TOKEN/, { BOUGH_TOKEN: 'tooshort' })
    const BOUGH_TOKEN = 'a-token-of-my-own-making'
    const server = await serve(world, [], { BOUGH_TOKEN })
    const headers = { authorization: `Bearer ${BOUGH_TOKEN}` }
    expect((await ask(server, { path: '/session', headers })).status).toBe(200)
    const { stdout, stderr } = await stop(server)
    expect(stdout + stderr).not.toContain(BOUGH_TOKEN)
    expect(readFileSync(join(world.home, 'bough.db')).includes(BOUGH_TOKEN)).toBe(false)
  })
})
