import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startOf } from '../../process-identity.ts'
import type { NetworkAccess } from '../../tree/network.ts'
import { openRig, resultsIn } from '../offline/test-rig.ts'
import type { Rule } from './rule.ts'
import { Sandbox } from './sandbox.ts'

/** A home with a project, and a shell that runs in a sandbox which may write in the project only. */
async function sandboxed(
  rules: (home: string) => readonly Rule[] = () => [],
  network: NetworkAccess = 'shared',
) {
  const home = await mkdtemp(join(tmpdir(), 'home-'))
  const project = join(home, 'project')
  await mkdir(project)
  const sandbox = await Sandbox.open({
    env: { ...process.env, HOME: home },
    rules: [{ path: project, access: 'write' }, ...rules(home)],
    network,
    isRequired: true,
    relayCommand: [process.execPath, inject('launcher'), 'relay'],
  })
  onTestFinished(() => sandbox.close())
  const recorded: number[] = []
  const { turn, connection } = await openRig({
    cwd: project,
    sandbox,
    recordProcess: async (pid) => void recorded.push(pid),
  })
  const run = async (command: string) => {
    const [result] = resultsIn(await turn(`run ${command}`))
    return { output: result?.output.trim(), exitCode: result?.exitCode }
  }
  return { home, project, run, recorded, turn, connection }
}

test('a command can write in the directory of its session, and nowhere else', async () => {
  const { home, project, run } = await sandboxed()
  await writeFile(join(home, 'mine'), 'mine')
  expect(await run('echo hello > file; cat file')).toEqual({ output: 'hello', exitCode: 0 })
  expect(await readFile(join(project, 'file'), 'utf8')).toBe('hello\n')
  for (const place of [join(home, 'new'), join(home, 'mine'), '/etc/new', '/usr/new'])
    expect(await run(`echo changed > ${place}`)).toMatchObject({
      output: expect.stringMatching(/Read-only|denied/),
    })
  expect(await run(`mv ${project} ${home}/moved`)).toMatchObject({ exitCode: 1 })
  expect(await readFile(join(home, 'mine'), 'utf8')).toBe('mine')
  expect(await readdir(home)).toEqual(['mine', 'project'])
})

test('it has an empty directory for temporary files, which goes with it', async () => {
  const { run } = await sandboxed()
  expect(await run('ls $TMPDIR; echo x > $(mktemp); ls $TMPDIR | wc -l')).toEqual({
    output: '1',
    exitCode: 0,
  })
  expect(await run('ls $TMPDIR | wc -l')).toEqual({ output: '0', exitCode: 0 })
})

test('it sees neither keys and tokens in the home directory nor what other agents keep', async () => {
  const { home, run } = await sandboxed()
  for (const folder of ['.ssh', '.codex', '.config/gh']) {
    await mkdir(join(home, folder), { recursive: true })
    await writeFile(join(home, folder, 'secret'), 'secret')
  }
  await writeFile(join(home, '.netrc'), 'secret')
  await writeFile(join(home, '.bashrc'), 'shown')
  expect(await run(`cd ${home}; grep -rs secret . ; ls .ssh .codex .config/gh | grep secret`)).toEqual({
    output: '',
    exitCode: 1,
  })
  expect(await run(`cat ${home}/.netrc`)).toMatchObject({ exitCode: 1 })
  expect(await run(`touch ${home}/.ssh/authorized_keys`)).toMatchObject({ exitCode: 1 })
  expect(await run(`cat ${home}/.bashrc`)).toEqual({ output: 'shown', exitCode: 0 })
})

test('a hidden directory shows only what a deeper rule lets it see', async () => {
  const { home, run } = await sandboxed((home) => [
    { path: join(home, 'data'), access: 'hidden' },
    { path: join(home, 'data/trees/one'), access: 'write' },
    { path: join(home, 'data/trees/one/kept'), access: 'read' },
  ])
  // Rules are looked up when a command starts.
  await mkdir(join(home, 'data/trees/one/kept'), { recursive: true })
  await mkdir(join(home, 'data/trees/two'))
  await writeFile(join(home, 'data/store.db'), 'secret')
  expect(await run(`cd ${home}/data; find . | sort | xargs; touch trees/one/new; ls trees/one`)).toEqual({
    output: '. ./trees ./trees/one ./trees/one/kept\nkept\nnew',
    exitCode: 0,
  })
  for (const attempt of ['touch kept/new', 'rmdir kept', 'mv kept away', 'touch ../new', 'touch ../../new'])
    expect(await run(`cd ${home}/data/trees/one; ${attempt}`)).toMatchObject({ exitCode: 1 })
})

test('it gets none of the secrets in the environment, and no way to programs outside', async () => {
  process.env.GITHUB_TOKEN = process.env.SSH_AUTH_SOCK = process.env.BOUGH_TOKEN = 'secret'
  process.env.HARMLESS = 'shown'
  const { run } = await sandboxed()
  try {
    expect((await run('env')).output).toContain('HARMLESS=shown')
    expect((await run('env')).output).not.toContain('secret')
    // Where this checkout lies below /tmp, its programs are there to be run.
    const [, top = '', checkout = ''] = process.cwd().split('/')
    const expected = [':', 'bough-sandbox', 'bough-test', ...(top === 'tmp' ? [checkout] : [])]
    const { output } = await run('ls -A /run /tmp')
    const others = output?.split('\n').filter((line) => !expected.some((word) => line.includes(word)))
    expect(others?.join('')).toBe('')
  } finally {
    for (const name of ['GITHUB_TOKEN', 'SSH_AUTH_SOCK', 'BOUGH_TOKEN', 'HARMLESS']) delete process.env[name]
  }
})

test('it sees none of the processes outside, and has no rights over the machine', async () => {
  const { run } = await sandboxed()
  expect(await run(`ls -d /proc/${process.pid}; kill -0 ${process.pid}`)).toMatchObject({ exitCode: 1 })
  expect((await run('grep -i capeff /proc/self/status')).output).toMatch(/0{16}$/)
  expect(await run('umount /tmp')).not.toMatchObject({ exitCode: 0 })
  expect(await run('unshare -Urm umount /tmp')).not.toMatchObject({ exitCode: 0 })
})

test('a command tells its exit code, and what it leaves running ends with it', async () => {
  const { run, turn, recorded, connection } = await sandboxed()
  expect(await run('exit 7')).toMatchObject({ exitCode: 7 })
  // Found by a duration that no other process sleeps for.
  const nap = `sleep ${process.pid}${Date.now()}`
  const naps = async () =>
    (await promisify(execFile)('pgrep', ['-xf', nap]).catch(() => ({ stdout: '' }))).stdout.split('\n')
      .length - 1
  await run(`setsid -f ${nap} >/dev/null 2>&1; echo done`)
  await expect.poll(naps).toBe(0)
  const events = turn(`run setsid -f ${nap} & ${nap}`)
  await expect.poll(naps).toBe(2)
  await connection.close()
  expect(await naps()).toBe(0)
  expect((await events).at(-1)).toEqual({ type: 'turn-finished', reason: 'interrupted' })
  expect(recorded.map(startOf)).toEqual(recorded.map(() => null))
})

/** A server on the machine's own loopback. */
async function served(): Promise<number> {
  const server = createServer((_, answer) => void answer.end('reached')).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  return address instanceof Object ? address.port : 0
}

const by = (way: string, port: number) => `curl -sm 5 ${way} --noproxy "" http://localhost:${port}; echo`

test('without a network a command reaches nothing, by the proxy neither', async () => {
  const port = await served()
  const { run } = await sandboxed(() => [], [])
  expect(await run(`curl -sm 5 http://127.0.0.1:${port}; ${by('', port)}`)).toMatchObject({
    output: expect.stringContaining('the sandbox does not let this session reach localhost'),
  })
  expect(await run(`${by('-p', port)}; exit 3`)).toEqual({ output: '', exitCode: 3 })
})

test('a command reaches the hosts and ports that are allowed, and no others', async () => {
  const [port, other] = [await served(), await served()]
  const { run } = await sandboxed(() => [], [{ host: 'localhost', port }])
  expect(await run(by('', port))).toMatchObject({ output: 'reached' })
  expect(await run(by('-p', port))).toMatchObject({ output: 'reached' })
  expect(await run(by('-p', other))).toMatchObject({ output: '' })
  expect(await run(by('', other))).not.toMatchObject({ output: 'reached' })
  expect(await run(`curl -sm 5 http://127.0.0.1:${port}; echo`)).toMatchObject({ output: '' })
})

test('a sandbox that cannot be started says why, and what to do', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bin-'))
  const env = { ...process.env, PATH: folder }
  await expect(
    Sandbox.open({ env, rules: [], network: 'shared', relayCommand: [], isRequired: true }),
  ).rejects.toMatchObject({
    code: 'sandbox_unavailable',
    message: expect.stringContaining('bubblewrap is not installed. Install it'),
  })
  const forbidden = '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2; exit 1\n'
  await writeFile(join(folder, 'bwrap'), forbidden)
  await chmod(join(folder, 'bwrap'), 0o755)
  env.PATH = [folder, process.env.PATH].join(delimiter)
  await expect(
    Sandbox.open({ env, rules: [], network: 'shared', relayCommand: [], isRequired: true }),
  ).rejects.toMatchObject({
    code: 'sandbox_unavailable',
    message: expect.stringMatching(
      /cannot start a sandbox here \(bwrap: setting up uid map.*user namespaces/,
    ),
  })
})
