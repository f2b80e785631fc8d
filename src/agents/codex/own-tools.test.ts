import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rm, utimes } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { call, type Item, msg } from '../../../test/support/fake-openai.ts'
import { relay } from '../../cli/mcp-relay.ts'
import type { Tool } from '../driver.ts'
import { onLine } from './lines.ts'
import { mcpRelay, shapeOf, startRig } from './test-rig.ts'
import { ToolSocket } from './tool-socket.ts'

const noteTool = (): Tool & { readonly notes: readonly unknown[] } => {
  const notes: unknown[] = []
  return {
    name: 'save_note',
    description: 'Saves a note.',
    input: z.object({ text: z.string().min(3) }),
    notes,
    call: async (args) => {
      notes.push(args)
      return { output: `Saved ${notes.length}.`, exitCode: 0 }
    },
  }
}

/** A call as the model makes it: Codex puts the tools of a server in a namespace. */
const callOurs = (name: string, args: unknown): Item => ({
  ...call(name, args),
  ...{ namespace: 'mcp__bough' },
})

test('Codex calls our tools over a socket, without asking', async () => {
  const tool = noteTool()
  const rig = await startRig((prompt) => ({
    items: [prompt === '' ? msg('Noted.') : callOurs('save_note', { text: prompt })],
  }))
  const { turn, asked } = await rig.open({ tools: [tool] })
  expect(shapeOf(await turn('Remember'))).toEqual([
    'native-session',
    'call bough.save_note {"text":"Remember"}',
    'message-finished',
    'result bough.save_note 0 Saved 1.',
    'message-finished',
    'text: Noted.',
    'message-finished',
    'done',
  ])
  expect(tool.notes).toEqual([{ text: 'Remember' }])
  expect(asked).toEqual([])
  expect(rig.heard().at(-1)).toContain('Saved 1.')
})

test('a tool that is given what it does not accept is not called, and the model is told why', async () => {
  const tool = noteTool()
  const rig = await startRig((prompt) => ({
    items: [prompt === '' ? msg('Oh.') : callOurs('save_note', { text: 'x' })],
  }))
  const { turn } = await rig.open({ tools: [tool] })
  expect(shapeOf(await turn('Go'))).toContainEqual(expect.stringMatching(/^result bough.save_note 1 text: /))
  expect(tool.notes).toEqual([])
  expect(rig.heard().at(-1)).toContain('text: ')
})

test('tools of two threads of one server do not mix', async () => {
  const rig = await startRig((prompt) => ({
    items: [prompt === '' ? msg('Noted.') : callOurs('save_note', { text: prompt })],
  }))
  const [one, two] = [noteTool(), noteTool()]
  const [first, second] = [await rig.open({ tools: [one] }), await rig.open({ tools: [two] })]
  await Promise.all([first.turn('First'), second.turn('Second')])
  expect([one.notes, two.notes]).toEqual([[{ text: 'First' }], [{ text: 'Second' }]])
})

/** Codex with a server of the person's own, whose tool the model calls with every prompt. */
async function rigWithTheirs(tool: Tool) {
  const socket = await listen([tool])
  const { command, args, env } = socket.serverFor(mcpRelay, process.pid)
  const config = `
[mcp_servers.theirs]
command = ${JSON.stringify(command)}
args = ${JSON.stringify(args)}
required = true
env = { BOUGH_MCP_SOCKET = "${env.BOUGH_MCP_SOCKET}", BOUGH_MCP_SECRET = "${env.BOUGH_MCP_SECRET}" }`
  return startRig(
    (prompt) => ({
      items: [
        prompt === '' ? msg('Noted.') : { ...call('save_note', { text: prompt }), namespace: 'mcp__theirs' },
      ],
    }),
    config,
  )
}

test("a tool of the person's own server is asked, with ours beside it", async () => {
  const theirs = noteTool()
  const rig = await rigWithTheirs(theirs)
  const answers = [{ allow: false, reason: 'no' } as const, { allow: true } as const]
  const { turn, asked } = await rig.open({
    tools: [noteTool()],
    askPermission: async () => answers.shift() ?? { allow: true },
  })
  expect(shapeOf(await turn('First'))).toContain('result theirs.save_note 1 Denied: no')
  expect(shapeOf(await turn('Second'))).toContain('result theirs.save_note 0 Saved 1.')
  expect(asked[1]).toMatchObject({
    tool: 'theirs.save_note',
    action: 'other',
    detail: 'theirs.save_note {"text":"Second"}',
  })
  expect(theirs.notes).toEqual([{ text: 'Second' }])
  expect(JSON.stringify(rig.fake.requests[0]?.body.tools)).toContain('mcp__bough')
})

test("a call of the person's own server that was interrupted does not stand in the way of the next", async () => {
  const theirs = noteTool()
  const rig = await rigWithTheirs(theirs)
  const { turn, asked } = await rig.open({ tools: [noteTool()] })
  await turn('First', (event) => event.type === 'tool-call')
  expect(shapeOf(await turn('Second'))).toContainEqual(expect.stringContaining('result theirs.save_note 0'))
  expect(asked.at(-1)?.detail).toBe('theirs.save_note {"text":"Second"}')
})

const listen = async (tools: readonly Tool[]) => {
  const socket = await ToolSocket.listen(tools)
  onTestFinished(() => (existsSync(socket.path) ? socket.close() : undefined))
  return socket
}

test('what killed processes have left is cleared up after a day', async () => {
  const directory = async (pid: number, name: string, hours: number) => {
    const path = join(tmpdir(), `bough-${pid}-${name}`)
    await mkdir(path)
    onTestFinished(() => rm(path, { recursive: true, force: true }))
    const then = new Date(Date.now() - hours * 60 * 60_000)
    await utimes(path, then, then)
    return path
  }
  // No system has so many.
  const dead = 2 ** 30
  const left = await directory(dead, 'oldone', 25)
  const kept = [await directory(dead, 'young1', 23), await directory(process.pid, 'alive1', 25)]
  await listen([])
  expect([left, ...kept].map((path) => existsSync(path))).toEqual([false, true, true])
})

test('who does not know the secret is cut off', async () => {
  const tool = noteTool()
  const socket = await listen([tool])
  const client = connect(socket.path)
  client.on('error', () => {})
  client.write('guess\n{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
  const heard: unknown[] = []
  client.on('data', (data) => heard.push(data))
  await once(client, 'close')
  expect(heard).toEqual([])
})

test('a relay passes messages both ways, and ends with the connection', async () => {
  const socket = await listen([noteTool()])
  const [input, output] = [new PassThrough(), new PassThrough()]
  const relayed = relay(socket.path, socket.secret, input, output)
  const answers: unknown[] = []
  const three = new Promise<void>((resolve) =>
    onLine(output, (line) => {
      if (answers.push(JSON.parse(line)) === 3) resolve()
    }),
  )
  const say = (message: unknown) => input.write(`${JSON.stringify(message)}\n`)
  say({ jsonrpc: '2.0', method: 'notifications/initialized' })
  say({ jsonrpc: '2.0', id: 1, method: 'ping' })
  say({ jsonrpc: '2.0', id: 'two', method: 'tools/list' })
  say({ jsonrpc: '2.0', id: 3, method: 'no/such' })
  await three
  expect(answers).toMatchObject([
    { id: 1, result: {} },
    { id: 'two', result: { tools: [{ name: 'save_note', inputSchema: { required: ['text'] } }] } },
    { id: 3, error: { code: -32601 } },
  ])
  await socket.close()
  await relayed
  expect(existsSync(socket.path)).toBe(false)
})
