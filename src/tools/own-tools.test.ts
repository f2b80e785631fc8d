import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { launcher } from '../../test/support/run-bough.ts'
import { until } from '../../test/support/until.ts'
import { ToolSocket } from '../agents/codex/tool-socket.ts'
import type { Driver, OpenOptions, Tool } from '../agents/driver.ts'
import { createOfflineDriver } from '../agents/offline/offline.ts'
import { callTool } from '../agents/tool-call.ts'
import { Ground, tool } from '../forks/side/testing/ground.ts'
import type { SessionID } from '../tree/ids.ts'
import type { Json } from '../tree/message.ts'

const names = [
  ...['enter_fork', 'exit_fork', 'save_context', 'report_updates', 'run_background', 'ping_user'],
  ...['send_embed', 'add_routine', 'add_reminder', 'list_schedule', 'cancel_schedule'],
]

/** A ground whose agent notes what it is opened with. */
async function newGround(config: Json = {}) {
  const opened: OpenOptions[] = []
  const offline = createOfflineDriver({ pace: 0 })
  const driver: Driver = {
    ...offline,
    open(options) {
      opened.push(options)
      return offline.open(options)
    },
  }
  const ground = await Ground.open({ drivers: [driver], config })
  const openingOf = (id: SessionID): OpenOptions => {
    const found = opened.findLast(({ sessionID }) => sessionID === id)
    if (!found) throw new Error(`${id} was not opened.`)
    return found
  }
  return { ground, opened, openingOf }
}

type Opening = Awaited<ReturnType<typeof newGround>>

/** Main, an interactive fork and a background fork, each with a turn behind it. */
async function threeOf({ ground }: Opening) {
  await ground.say('hello')
  const run = await ground.run('look')
  await ground.fork('herons')
  const fork = await ground.openFork()
  return { main: await ground.main(), run: run.sessionID, fork: fork.sessionID }
}

const call = (tools: readonly Tool[], name: string, args: Json = {}) => {
  const found = tools.find((each) => each.name === name)
  if (!found) throw new Error(`no tool ${name}`)
  return callTool(found, args)
}

/** What a client of the protocol sees of tools. */
const described = (tools: readonly Tool[]) =>
  tools.map(({ name, description, input }) => ({
    ...{ name, description },
    inputSchema: JSON.parse(JSON.stringify(z.toJSONSchema(input))),
  }))

/** `bough mcp` in a process of its own, as an agent starts it. */
async function startMcp(tools: readonly Tool[]) {
  const socket = await ToolSocket.listen(tools)
  let isOpen = true
  const close = async () => {
    if (isOpen) await socket.close()
    isOpen = false
  }
  onTestFinished(close)
  const { command, args, env } = socket.serverFor([process.execPath, launcher, 'mcp'], process.pid)
  const child: ChildProcessWithoutNullStreams = spawn(command, args, { env: { ...process.env, ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let requests = 0
  const ask = async (method: string, params: Json = {}): Promise<unknown> => {
    requests += 1
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: requests, method, params })}\n`)
    return JSON.parse((await lines.next()).value ?? '')
  }
  return { ask, close, ended }
}

describe('bough’s own tools', () => {
  it('are eleven, named in snake_case, and served in-process to every session', async () => {
    const opening = await newGround()
    const { main, run, fork } = await threeOf(opening)
    for (const id of [main, run, fork])
      expect(opening.openingOf(id).tools.map(({ name }) => name)).toEqual(names)
    for (const name of names) expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/)
  })

  it('are the same list for main and its forks, to the last byte', async () => {
    const opening = await newGround()
    const { main, run, fork } = await threeOf(opening)
    const [ofMain, ...ofForks] = [main, run, fork].map((id) =>
      JSON.stringify(described(opening.openingOf(id).tools)),
    )
    expect(ofForks).toEqual([ofMain, ofMain])
  })

  it('are served over MCP by "bough mcp", the same list', async () => {
    const opening = await newGround()
    await opening.ground.say('hello')
    const { tools } = opening.openingOf(await opening.ground.main())
    const { ask } = await startMcp(tools)
    expect(await ask('initialize', { protocolVersion: '2025-06-18' })).toMatchObject({
      result: { serverInfo: { name: 'bough' }, capabilities: { tools: {} } },
    })
    expect(await ask('tools/list')).toEqual({ jsonrpc: '2.0', id: 2, result: { tools: described(tools) } })
  })

  it('over MCP do what they do in-process, and tell what goes wrong', async () => {
    const opening = await newGround()
    const { ground } = opening
    const { fork } = await threeOf(opening)
    const { ask } = await startMcp(opening.openingOf(fork).tools)
    const answer = (text: string, isError = false) => ({
      result: { content: [{ type: 'text', text }], isError },
    })
    expect(await ask('tools/call', { name: 'ping_user', arguments: { text: 'over MCP' } })).toMatchObject(
      answer('Sent.'),
    )
    await ground.looked()
    expect(ground.front.kind('message')).toEqual([{ kind: 'message', text: 'over MCP' }])
    expect(await ask('tools/call', { name: 'ping_user', arguments: { text: ' ' } })).toMatchObject({
      result: { isError: true },
    })
    expect(await ask('tools/call', { name: 'enter_fork', arguments: {} })).toMatchObject(
      answer('You are in a fork already. Forks do not nest: end this one first.', true),
    )
    expect(await ask('tools/call', { name: 'rm', arguments: {} })).toMatchObject({ error: { code: -32602 } })
  })

  it('over MCP die with their connection', async () => {
    const opening = await newGround()
    await opening.ground.say('hello')
    const { ask, close, ended } = await startMcp(opening.openingOf(await opening.ground.main()).tools)
    await ask('ping')
    await close()
    expect((await ended)[0]).toBe(0)
  })

  it('know which session calls from when its agent was opened, whatever runs beside it', async () => {
    const opening = await newGround()
    const { ground } = opening
    const { main, run, fork } = await threeOf(opening)
    const toolsOf = (id: SessionID) => opening.openingOf(id).tools
    // Outside a fork, though one is open.
    for (const [name, args] of [
      ['exit_fork', {}],
      ['save_context', {}],
      ['report_updates', { message: 'x' }],
    ] as const) {
      expect(await call(toolsOf(main), name, args)).toMatchObject({ exitCode: 1 })
      expect((await call(toolsOf(run), name, args)).output).toContain('You are not in a fork')
    }
    expect(await ground.openFork()).toMatchObject({ sessionID: fork, wish: null })
    expect(await call(toolsOf(fork), 'report_updates', { message: 'herons' })).toMatchObject({ exitCode: 0 })
    expect(await ground.openFork()).toMatchObject({ wish: { action: 'report', text: 'herons' } })
    expect(await call(toolsOf(main), 'ping_user', { text: 'from main' })).toMatchObject({ exitCode: 0 })
    expect(await ground.sideFork(fork)).toMatchObject({ pinged: false })
    expect(await call(toolsOf(fork), 'ping_user', { text: 'from the fork' })).toMatchObject({ exitCode: 0 })
    expect(await ground.sideFork(fork)).toMatchObject({ pinged: true })
  })

  it('in two channels do not mix: what each sends goes to its own', async () => {
    const opening = await newGround()
    const { ground } = opening
    const elsewhere = await ground.bough.openChannel(
      { frontEnd: 'test', key: 'elsewhere' },
      { directory: ground.directory },
    )
    await ground.bough.say(elsewhere.id, { kind: 'message', text: 'hello' })
    await ground.say('hello')
    await call(opening.openingOf(elsewhere.mainID).tools, 'ping_user', { text: 'elsewhere' })
    await call(opening.openingOf(await ground.main()).tools, 'ping_user', { text: 'here' })
    await ground.looked()
    expect(ground.front.kind('message')).toEqual([{ kind: 'message', text: 'here' }])
    await call(opening.openingOf(elsewhere.mainID).tools, 'run_background', { prompt: 'look' })
    expect(await ground.bough.sideForks({ channelID: elsewhere.id })).toHaveLength(1)
    expect(await ground.sideForks()).toEqual([])
  })

  it.each([
    ['enter_fork', { topic: ' ' }],
    ['enter_fork', { idle_timeout: 0 }],
    ['enter_fork', { idle_timeout: 1.5 }],
    ['report_updates', {}],
    ['report_updates', { message: '' }],
    ['run_background', {}],
    ['run_background', { prompt: 'x', timeout: 0 }],
    ['run_background', { prompt: 'x', timeout: 1.5 }],
    ['run_background', { prompt: 'x', allowed_tools: 'run' }],
    ['ping_user', { text: '' }],
    ['send_embed', { title: 'a' }],
    ['send_embed', { title: 'a', body: 'b', buttons: [{ label: 'c', prompt: ' ' }] }],
    ['add_routine', { cron: 'soon', prompt: 'x' }],
    ['add_routine', { cron: '0 8 * * *', prompt: '' }],
    ['add_reminder', { prompt: 'x' }],
    ['add_reminder', { at: '2020-01-01T00:00', prompt: 'x' }],
    ['list_schedule', { all: true }],
    ['cancel_schedule', {}],
    ['cancel_schedule', { id: 'zzzzzz' }],
  ] as const)('%s validates its input: %j is refused, and nothing is asked or done', async (name, args) => {
    const opening = await newGround()
    const { ground } = opening
    await ground.say('hello')
    const { tools } = opening.openingOf(await ground.main())
    expect(await call(tools, name, JSON.parse(JSON.stringify(args)))).toMatchObject({
      ...{ exitCode: 1, output: expect.stringMatching(/./) },
    })
    await ground.looked()
    expect(await ground.bough.schedules()).toEqual([])
    expect([await ground.sideForks(), ground.front.sent, ground.front.asked]).toEqual([[], [], []])
  })
})

it('half a minute of idle time makes no sense, whoever asks for it', async () => {
  const { ground } = await newGround()
  await ground.say(tool('enter_fork', { topic: 'herons', idle_timeout: 1.5 }))
  expect(await ground.results(await ground.main())).toEqual([expect.stringMatching(/idle_timeout/)])
  await expect(ground.fork('herons', 1.5)).rejects.toMatchObject({ code: 'bad_input' })
  expect(await ground.sideForks()).toEqual([])
})

describe('the tools of schedules', () => {
  it.each([
    ['add_routine', { cron: '0 8 * * *', prompt: 'the news' }],
    ['add_reminder', { in_minutes: 5, prompt: 'the news' }],
  ] as const)('%s is approved each time, whatever was allowed for the session', async (name, args) => {
    const { ground } = await newGround()
    const asked = () => until('the question', async () => (await ground.bough.permissions())[0])
    for (const [count, allow] of [
      [1, true],
      [2, true],
      [2, false],
    ] as const) {
      const said = ground.say(tool(name, args))
      const { id, tool: what, offers } = await asked()
      expect(what).toBe(name)
      expect(offers).toMatchObject([{ scope: 'call', rule: null }])
      for (const scope of ['session', 'always', 'tool'] as const)
        await expect(ground.bough.answer(id, { allow: true, scope })).rejects.toMatchObject({
          code: 'bad_input',
        })
      await ground.bough.answer(id, { allow })
      await said
      expect(await ground.bough.schedules()).toHaveLength(count)
    }
  })

  it.each([{ agent: 'offline' }, { model: 'small' }, { allowedTools: ['read'] }])(
    'nor anybody else can plan something for main with %j: main has its own',
    async (more) => {
      const { ground } = await newGround()
      const draft = { prompt: 'the news', mode: 'main', ...more } as const
      const { channelID, bough, time } = ground
      await expect(bough.addRoutine(channelID, { ...draft, cron: '0 8 * * *' })).rejects.toMatchObject({
        code: 'bad_input',
      })
      await expect(bough.addReminder(channelID, { ...draft, at: time.now + 60_000 })).rejects.toMatchObject({
        code: 'bad_input',
      })
      expect(await bough.schedules()).toEqual([])
    },
  )

  it('of one conversation neither show nor cancel what belongs to another', async () => {
    const opening = await newGround()
    const { ground } = opening
    const elsewhere = await ground.bough.openChannel(
      { frontEnd: 'test', key: 'elsewhere' },
      { directory: ground.directory },
    )
    const theirs = await ground.bough.addRoutine(elsewhere.id, { cron: '0 8 * * *', prompt: 'theirs' })
    const ours = await ground.bough.addRoutine(ground.channelID, { cron: '0 9 * * *', prompt: 'ours' })
    await ground.say(`${tool('list_schedule')}\n${tool('cancel_schedule', { id: theirs.id })}`)
    const [listed = '', refused] = await ground.results(await ground.main())
    expect([listed.includes('ours'), listed.includes('theirs')]).toEqual([true, false])
    expect(refused).toBe('That belongs to another conversation.')
    expect(await ground.bough.schedules()).toHaveLength(2)
    await ground.say(tool('cancel_schedule', { id: ours.id.slice(-6) }))
    expect(await ground.bough.schedules()).toEqual([theirs])
  })
})

describe('what the agent is told', () => {
  it('is a short section of the system prompt: the four fork tools and their effects, /fork, where forks branch from, what they are for, what happens when idle', async () => {
    const opening = await newGround()
    await opening.ground.say('hello')
    const { systemPrompt } = opening.openingOf(await opening.ground.main())
    for (const piece of [
      /you with the tool enter_fork/,
      /save_context: the fork becomes the main conversation/,
      /report_updates: the main\s+conversation is told what you report/,
      /exit_fork: nothing returns/,
      /opens one with \/fork/,
      /Forks always branch from the main conversation/,
      /for what would clutter the main conversation/,
      /nobody says anything for a while is ended: first you are asked, then it is reported/,
    ])
      expect(systemPrompt).toMatch(piece)
    expect(systemPrompt.length).toBeLessThan(2_000)
  })

  it('is byte-identical between main and its forks, also after hours and under every kind of fork', async () => {
    const opening = await newGround()
    const { ground, opened } = opening
    await threeOf(opening)
    await ground.exit('save')
    ground.pass(300)
    await ground.run(tool('ping_user', { text: 'here' }))
    await ground.looked()
    await ground.reply(ground.front.sent.at(-1)?.externalID ?? '', 'go on')
    expect(new Set(opened.map(({ sessionID }) => sessionID)).size).toBe(5)
    expect(new Set(opened.map(({ systemPrompt }) => systemPrompt)).size).toBe(1)
    expect(new Set(opened.map(({ tools }) => JSON.stringify(described(tools)))).size).toBe(1)
  })

  it('has the person’s name as a setting', async () => {
    const opening = await newGround({ forks: { person: 'Ann' } })
    await opening.ground.say('hello')
    const { systemPrompt } = opening.openingOf(await opening.ground.main())
    expect(systemPrompt).toContain('You talk with Ann through bough')
    expect(systemPrompt).not.toContain('the person')
  })
})
