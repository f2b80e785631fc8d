import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startOf } from '../src/process-identity.ts'
import { findServer } from '../src/server/announcement.ts'
import { commandRuns, endCommands, runUntilTold, tellToEnd } from './support/commands.ts'
import { fetching } from './support/fetching.ts'
import { createWorld, type World } from './support/run-bough.ts'
import { Tmux } from './support/tmux.ts'
import { until } from './support/until.ts'

/** Makes the launcher believe that its Node is too old, and nobody else. */
const pretendOld = `if (!process.env.BOUGH_LAUNCHED)
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })`

const launcher = join(import.meta.dirname, '../bin/bough.js')
const preload = `data:text/javascript,${encodeURIComponent(pretendOld).replaceAll("'", '%27')}`

const newWorld = (): World =>
  createWorld({
    // A group of its own, as a shell makes for what it starts.
    command: ['setsid', process.execPath, '--import', preload, launcher],
    env: process.env,
  })

/** `bough serve`, started by an older Node; its child is the server. */
async function startServer(world: World) {
  mkdirSync(world.home, { recursive: true })
  const home = { data: world.home, config: join(world.home, 'config.json') }
  writeFileSync(home.config, JSON.stringify({ permissions: { allow: ['run'] } }))
  const server = world.start(['serve', '--port', '0', '--grace', '60'])
  const pid = server.child.pid ?? 0
  onTestFinished(async () => {
    if (server.child.exitCode === null && server.child.signalCode === null) process.kill(-pid, 'SIGKILL')
    await server.ended
    await endCommands(world.project)
  })
  await server.shows('Ctrl-C stops it')
  const found = await findServer(home)
  if (!found?.tokenFile) throw new Error('It says nothing of itself.')
  const { post } = fetching({ url: found.url, token: readFileSync(found.tokenFile, 'utf8').trim() })
  const childPid = childOf(pid)
  return { server, pid, childPid, post }
}

const childOf = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).trim())

/** The terminal UI, started by an older Node; how the terminal was before and after is in the files `before` and `after`. */
async function startTui(world: World) {
  const program = `exec "${process.execPath}" --import "${preload}" "${launcher}"`
  const command = `stty -a > before; sh -c 'echo $$ > pid; ${program}'; code=$?; stty -a > after; (exit $code)`
  const terminal = Tmux.start(command, { cwd: world.project, env: world.env })
  onTestFinished(() => terminal.close())
  await terminal.shows('Esc looks back')
  const inProject = (name: string) => readFileSync(join(world.project, name), 'utf8')
  const pid = Number(inProject('pid'))
  const isGivenBack = (): boolean => !terminal.isAlternate && !terminal.isLeftOdd
  return { terminal, pid, childPid: childOf(pid), inProject, isGivenBack }
}

describe('a program that an older Node has started under the pinned one', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('ends on %s to the launcher alone', async (signal) => {
    const { server, pid, childPid } = await startServer(newWorld())
    process.kill(pid, signal)
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
    expect(startOf(childPid)).toBeNull()
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('takes a %s that comes to both of them for one', async (signal) => {
    const world = newWorld()
    const { server, pid, post } = await startServer(world)
    const id = (await world.ok('new')).trim()
    await post(`/session/${id}/message`, { text: runUntilTold })
    await commandRuns(world.project)
    process.kill(-pid, signal)
    await server.shows('bough is stopping')
    // By the time that another command is through, a second one would have come.
    await world.ok('ls')
    await tellToEnd(world.project)
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('is ended by a second one, and the launcher in the same way', async () => {
    const world = newWorld()
    const { server, pid, post } = await startServer(world)
    const id = (await world.ok('new')).trim()
    await post(`/session/${id}/message`, { text: runUntilTold })
    await commandRuns(world.project)
    process.kill(pid, 'SIGINT')
    await server.shows('bough is stopping')
    await world.ok('ls')
    process.kill(pid, 'SIGINT')
    await until('the launcher to be gone', () => server.child.signalCode === 'SIGINT')
    await tellToEnd(world.project)
  })

  it('ends with the launcher, also where that was killed', async () => {
    const { pid, childPid } = await startServer(newWorld())
    process.kill(pid, 'SIGKILL')
    await until('the server to be gone', () => startOf(childPid) === null)
  })

  it('that is killed leaves the terminal as it was: the launcher gives it back', async () => {
    const { terminal, childPid, inProject, isGivenBack } = await startTui(createWorld())
    expect(terminal).toMatchObject({ isAlternate: true, isLeftOdd: true })
    process.kill(childPid, 'SIGKILL')
    await terminal.shows('ended with 137')
    expect(isGivenBack()).toBe(true)
    expect(inProject('after')).toBe(inProject('before'))
  })

  it('gives the terminal back itself where the launcher is killed', async () => {
    const { pid, childPid, isGivenBack } = await startTui(createWorld())
    process.kill(pid, 'SIGKILL')
    // What the shell says of that may stand on the screen that the program takes away.
    await until('the launcher to be gone', () => startOf(pid) === null)
    await until('the program to be gone', () => startOf(childPid) === null)
    await until('the terminal to be given back', isGivenBack)
  })
})
