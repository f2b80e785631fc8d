import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { ToolSocket } from '../src/agents/codex/tool-socket.ts'
import type { Tool } from '../src/agents/driver.ts'
import { refused } from './support/refused.ts'
import { createWorld, launcher, type World } from './support/run-bough.ts'
import { until } from './support/until.ts'

let world: World
let main: string
beforeEach(async () => {
  world = createWorld()
  main = (await world.ok('new', '--title', 'Main')).trim()
})

interface Asked {
  readonly id: string
  readonly tool: string
}
const asked = async (): Promise<readonly Asked[]> => JSON.parse(await world.ok('approve', '--json'))
const configFile = () => join(world.home, 'config.json')
const configText = () => (existsSync(configFile()) ? readFileSync(configFile(), 'utf8') : '')

/** A background run that waits for an approval, in a daemon of its own. */
async function parked(): Promise<Asked> {
  const daemon = world.start(['daemon'])
  onTestFinished(async () => {
    daemon.child.kill('SIGTERM')
    await daemon.ended
  })
  await daemon.shows('keeps time')
  await world.ok('run', main, 'run touch widened', '--background')
  return until('the run to ask', async () => (await asked())[0])
}

/** What an agent must not do to itself; nothing of it may come about. */
const widenings = (permissionID: string, forkID: string): readonly (readonly string[])[] => [
  ['approve', permissionID],
  ['approve', permissionID, '--session'],
  ['routine', 'add', main, '--cron', '* * * * *', 'x'],
  ['remind', main, '1m', 'x'],
  ['exit', forkID, '--save'],
  ['run', main, 'x', '--background'],
  ['config', 'permissions.allow', '["run"]'],
  ['config', 'permissions.deny', '--unset'],
]

async function openFork(): Promise<string> {
  await world.bough(['chat', main], { input: '/fork\n' })
  const forks: { sessionID: string; kind: string; state: string }[] = JSON.parse(
    await world.ok('runs', '--json'),
  )
  return forks.find(({ kind, state }) => kind === 'interactive' && state === 'open')?.sessionID ?? ''
}

describe('an agent cannot widen its own rights', () => {
  it('from its own shell: each command that would is refused, and changes nothing', async () => {
    const permission = await parked()
    const fork = await openFork()
    expect(fork).not.toBe('')
    await world.ok('config', 'permissions.deny', '["delete"]')
    const before = configText()
    for (const args of widenings(permission.id, fork))
      await refused(world, args, 1, /^bough: An agent may not use "bough/, { BOUGH_AGENT: '1' })
    expect(configText()).toBe(before)
    expect(await asked()).toMatchObject([{ id: permission.id, state: 'asked' }])
    expect(await world.json('routine')).toEqual([])
    expect(await world.json('runs')).toMatchObject([
      { sessionID: fork, state: 'open' },
      { kind: 'background', state: 'open' },
    ])
    expect(existsSync(join(world.project, 'widened'))).toBe(false)
    await world.ok('approve', permission.id, '--deny')
  })

  it('by running bough with its tool, also where the configuration lets it run that', async () => {
    const permission = await parked()
    const fork = await openFork()
    const command = `${process.execPath} ${launcher}`
    await world.ok('config', 'permissions.allow', JSON.stringify([`run(${command}*)`]))
    const before = configText()
    const other = (await world.ok('new')).trim()
    const runs = widenings(permission.id, fork).map(
      (args) => `run ${command} ${args.map((each) => `'${each}'`).join(' ')}`,
    )
    await world.ok('send', other, runs.join('\n'))
    const outputs = JSON.parse(await world.ok('log', other, '--json'))
    const results = JSON.stringify(outputs).match(/An agent may not use \\+"bough/g)
    expect(results).toHaveLength(runs.length)
    expect(configText()).toBe(before)
    expect(await asked()).toMatchObject([{ id: permission.id, state: 'asked' }])
    expect(await world.json('routine')).toEqual([])
    expect(await world.json('runs')).toHaveLength(2)
    await world.ok('approve', permission.id, '--deny')
  })

  it('but it may look, and a person may do all of it', async () => {
    const permission = await parked()
    for (const args of [['approve'], ['routine', 'ls'], ['runs'], ['updates'], ['config']])
      expect(await world.bough(args, { env: { BOUGH_AGENT: '1' } })).toMatchObject({ code: 0, stderr: '' })
    await world.ok('approve', permission.id)
    await until('the run to go on', () => existsSync(join(world.project, 'widened')))
  })
})

describe('bough mcp', () => {
  const calls: unknown[] = []
  const tool: Tool = {
    ...{ name: 'save_note', description: 'Saves a note.', input: z.object({}) },
    async call(args) {
      calls.push(args)
      return { output: 'Saved.', exitCode: 0 }
    },
  }
  const request = (id: number, method: string, params: object = {}): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
  const input = request(1, 'tools/list') + request(2, 'tools/call', { name: 'save_note', arguments: {} })
  beforeEach(() => void calls.splice(0))

  it('without a secret serves nothing', async () => {
    const socket = await ToolSocket.listen([tool])
    onTestFinished(() => socket.close())
    for (const env of [{}, { BOUGH_MCP_SOCKET: socket.path }, { BOUGH_MCP_SECRET: socket.secret }]) {
      const ended = await world.bough(['mcp'], { input, env })
      expect(ended).toMatchObject({ code: 2, stdout: '' })
      expect(ended.stderr).toMatch(/^bough: Agents that bough runs start "bough mcp" themselves/)
    }
    expect(calls).toEqual([])
  })

  it('with a wrong secret serves nothing, and with that of another connection neither', async () => {
    const [socket, another] = [await ToolSocket.listen([tool]), await ToolSocket.listen([tool])]
    onTestFinished(async () => void (await Promise.all([socket.close(), another.close()])))
    for (const secret of ['guess', another.secret, `${socket.secret} `.slice(1), `${socket.secret}0`]) {
      const env = { BOUGH_MCP_SOCKET: socket.path, BOUGH_MCP_SECRET: secret }
      expect(await world.bough(['mcp'], { input, env })).toMatchObject({ stdout: '' })
    }
    expect(calls).toEqual([])
  })

  it('after its connection is closed serves nothing, with the right secret too', async () => {
    const socket = await ToolSocket.listen([tool])
    const env = { BOUGH_MCP_SOCKET: socket.path, BOUGH_MCP_SECRET: socket.secret }
    await socket.close()
    const ended = await world.bough(['mcp'], { input, env })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/^bough: The session that these tools belong to is closed\.\n$/)
    expect(calls).toEqual([])
  })
})
