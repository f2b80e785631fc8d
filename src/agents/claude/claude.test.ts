import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import {
  type Block,
  claudeHome,
  lastBlock,
  type MessagesRequest,
  plain,
  startFakeAnthropic,
  text,
  thinking,
  toolUse,
} from '../../../test/support/fake-anthropic.ts'
import { untrusted } from '../../../test/support/project-access.ts'
import { resultWords } from '../../tree/drawn/tool-words.ts'
import { person } from '../../workspace/testing/ground.ts'
import type { AgentEvent, Connection, OpenOptions, PermissionRequest, Start } from '../driver.ts'
import { createClaudeDriver } from './claude.ts'

/** What the model says to the last block that it is given. */
type Model = (
  block: { readonly type: string; readonly text: string },
  request: MessagesRequest,
) => readonly Block[]

const plainly: Model = ({ text: prompt }) => [text(`reply to ${prompt}`)]

async function ground(model: Model = plainly) {
  const fake = await startFakeAnthropic((request) => {
    const block = lastBlock(request)
    return { content: model({ type: block?.type ?? '', text: block?.text ?? '' }, request) }
  })
  onTestFinished(() => fake.close())
  onTestFinished(() => expect(fake.outside).toEqual([]))
  const env = await claudeHome(fake)
  process.env.CLAUDE_CONFIG_DIR = env.CLAUDE_CONFIG_DIR
  const cwd = await mkdtemp(join(tmpdir(), 'claude-project-'))
  const asked: PermissionRequest[] = []
  const open = async (options: Partial<OpenOptions> = {}): Promise<Connection> => {
    const connection = await createClaudeDriver({ env, model: 'claude-sonnet-5' }).open({
      sessionID: 'ses_test',
      model: null,
      cwd,
      systemPrompt: '',
      project: untrusted(cwd),
      start: { kind: 'fresh' },
      unsent: [],
      history: async () => [],
      tools: [],
      askPermission: async (request) => {
        asked.push(request)
        return { allow: true }
      },
      recordProcess: async () => {},
      ...options,
    })
    onTestFinished(() => connection.close())
    return connection
  }
  return { fake, env, cwd, asked, open, received: () => plain(fake.requests.at(-1)?.body.messages ?? []) }
}

const run = (connection: Connection, prompt: string): Promise<readonly AgentEvent[]> =>
  Array.fromAsync(connection.send(prompt, new AbortController().signal))

const nativeID = (events: readonly AgentEvent[]): string =>
  events.find((event) => event.type === 'native-session')?.nativeID ?? ''

const entries = (events: readonly AgentEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'message-finished' && event.nativeID ? [event.nativeID] : []))

const forkAt = (nativeID: string, at: string | undefined): Partial<OpenOptions> => ({
  start: { kind: 'fork', nativeID, at: at ?? '' } satisfies Start,
})

test('a turn streams reasoning, text, calls and results, as messages that are whole', async () => {
  const { open, cwd } = await ground(({ type }) =>
    type === 'tool_result'
      ? [text('done')]
      : [thinking('hm'), text('I do.'), toolUse('Bash', { command: 'exit 3' }, 'toolu_1')],
  )
  const events = await run(await open(), 'do it')
  const said = events.map((event) =>
    event.type === 'text' || event.type === 'reasoning' ? `${event.type} ${event.text}` : event.type,
  )
  expect(said).toEqual([
    'native-session',
    'reasoning hm',
    'text I do.',
    'tool-call',
    'message-finished',
    'tool-result',
    'message-finished',
    'text done',
    'message-finished',
    'turn-finished',
  ])
  expect(events).toContainEqual({
    type: 'tool-call',
    callID: 'toolu_1',
    name: 'Bash',
    args: { command: 'exit 3' },
  })
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool-result', callID: 'toolu_1', name: 'Bash', exitCode: 3 }),
  )
  expect(new Set(entries(events)).size).toBe(3)
  const directory = `${cwd.replace(/[^a-zA-Z0-9]/g, '-')}/${nativeID(events)}.jsonl`
  const file = await readFile(join(process.env.CLAUDE_CONFIG_DIR ?? '', 'projects', directory), 'utf8')
  for (const entry of entries(events)) expect(file).toContain(`"uuid":"${entry}"`)
})

test('a fork sends the same bytes as its parent up to the fork point, so that a prompt cache holds', async () => {
  const { open, fake } = await ground(({ type, text: prompt }) => {
    if (type === 'tool_result') return [text('done')]
    if (prompt !== 'two') return [text(`reply to ${prompt}`)]
    return [thinking('hm'), text('I look.'), toolUse('Bash', { command: 'echo 1' })]
  })
  const parent = await open()
  const turns = [await run(parent, 'one'), await run(parent, 'two'), await run(parent, 'three')]
  await run(parent, 'four')
  const whole = fake.requests.at(-1)?.body
  for (const [i, events] of turns.entries()) {
    const fork = await open(forkAt(nativeID(turns[0] ?? []), entries(events).at(-1)))
    await run(fork, 'in the fork')
    const sent = fake.requests.at(-1)?.body
    expect(bytes(sent?.system)).toBe(bytes(whole?.system))
    expect(bytes(sent?.tools)).toBe(bytes(whole?.tools))
    const messages = sent?.messages ?? []
    const shared = messages.slice(
      0,
      messages.findIndex((message) => bytes(message).includes('in the fork')),
    )
    expect(plain(shared)).toHaveLength([2, 6, 8][i] ?? 0)
    expect(shared.map(bytes)).toEqual(whole?.messages.slice(0, shared.length).map(bytes))
  }
})

/** As it is sent, but for cache marks: one that is on a message's only text makes it a list of one. */
const bytes = (value: unknown): string =>
  JSON.stringify(value, (key, inner) => {
    if (key === 'cache_control') return undefined
    const isMarked = key === 'content' && Array.isArray(inner) && inner.length === 1 && inner[0].cache_control
    return isMarked && inner[0].type === 'text' ? inner[0].text : inner
  })

test('a fork at the results of several tools has them all', async () => {
  const { open, received } = await ground(({ type, text: prompt }) => {
    if (type === 'tool_result') return [text('done')]
    if (prompt !== 'two at once') return [text('fine')]
    return [toolUse('Bash', { command: 'echo A' }), toolUse('Bash', { command: 'sleep 0.2; echo B' })]
  })
  const events = await run(await open(), 'two at once')
  const fork = await open(forkAt(nativeID(events), entries(events)[1]))
  await run(fork, 'in the fork')
  expect(received().slice(-1)).toEqual(['user: <tool_result A>|<tool_result B>|in the fork'])
})

test('prompts that it has not got are said with the next one, and only those', async () => {
  const { open, received } = await ground()
  const fresh = await open({ unsent: ['never sent'] })
  const events = await run(fresh, 'sent')
  expect(received()).toEqual(['user: never sent|sent'])
  await run(fresh, 'again')
  expect(received().at(-1)).toBe('user: again')
  await fresh.close()
  const [at = ''] = entries(events)
  const resumed = await open({
    start: { kind: 'resume', nativeID: nativeID(events), at },
    unsent: ['again', 'also never sent'],
  })
  await run(resumed, 'now')
  expect(received().at(-1)).toBe('user: also never sent|now')
})

test('every call of a tool is asked, whatever its settings allow', async () => {
  const { open, cwd, env, asked } = await ground(({ type }) =>
    type === 'tool_result'
      ? [text('done')]
      : [
          toolUse('Bash', { command: 'ls' }),
          toolUse('Read', { file_path: join(cwd, 'a.txt') }),
          toolUse('Write', { file_path: join(cwd, 'b.txt'), content: 'b' }),
        ],
  )
  writeFileSync(join(cwd, 'a.txt'), 'a')
  const settings = JSON.stringify({
    permissions: { allow: ['Bash', 'Read', 'Write'], defaultMode: 'bypassPermissions' },
  })
  for (const directory of [join(cwd, '.claude'), env.CLAUDE_CONFIG_DIR ?? '']) {
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'settings.json'), settings)
  }
  const events = await run(await open(), 'go')
  expect(asked.toSorted((a, b) => (a.detail < b.detail ? -1 : 1))).toMatchObject([
    { tool: 'read', action: 'read', detail: join(cwd, 'a.txt'), path: join(cwd, 'a.txt') },
    { tool: 'write', action: 'write', detail: join(cwd, 'b.txt'), path: join(cwd, 'b.txt') },
    { tool: 'run', action: 'run', detail: 'ls' },
  ])
  const called = events.flatMap((event) => (event.type === 'tool-call' ? event.callID : []))
  expect(asked.map(({ callID }) => callID).toSorted()).toEqual(called.toSorted())
})

test('what is denied is not done, and the model is told why', async () => {
  const { open, cwd, received } = await ground(({ type }) =>
    type === 'tool_result' ? [text('done')] : [toolUse('Bash', { command: 'touch a' })],
  )
  const connection = await open({
    askPermission: async () => ({ allow: false, reason: 'the person said no' }),
  })
  const events = await run(connection, 'go')
  const results = events.filter((event) => event.type === 'tool-result')
  expect(results.map((result) => resultWords(result).text)).toEqual(['✗ denied'])
  expect(received().at(-1)).toContain('the person said no')
  await expect(readFile(join(cwd, 'a'))).rejects.toThrow('ENOENT')
})

test("bough's own tools are there at once, need no permission, and are called only with what they accept", async () => {
  const { open, asked, received } = await ground(({ type }) =>
    type === 'tool_result'
      ? [text('done')]
      : [toolUse('mcp__bough__add', { a: 1, b: 2 }), toolUse('mcp__bough__add', { a: 'x', b: 2 })],
  )
  const input = z.object({ a: z.number(), b: z.number() })
  const call = async (args: unknown) => {
    const { a, b } = input.parse(args)
    return { output: `${a + b}`, exitCode: 0 }
  }
  const connection = await open({ tools: [{ name: 'add', description: 'Adds.', input, call }] })
  const events = await run(connection, 'go')
  const results = events.filter((event) => event.type === 'tool-result')
  expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 1])
  expect(results[0]?.output).toBe('3')
  expect(received().at(-1)).toMatch(/expected number/)
  expect(asked).toEqual([])
})

test('a turn costs what its tokens cost, also the first of a process that resumed a session', async () => {
  const { open } = await ground()
  const parent = await open()
  const turns = [await run(parent, 'one'), await run(parent, 'two')]
  await parent.close()
  const start = { kind: 'resume', nativeID: nativeID(turns[0] ?? []), at: '' } as const
  const resumed = await open({ start })
  turns.push(await run(resumed, 'three'), await run(resumed, 'four'))
  const fork = await open(forkAt(start.nativeID, entries(turns[0] ?? []).at(-1)))
  turns.push(await run(fork, 'five'))
  const usages = turns.flatMap((events) =>
    events.flatMap((event) => (event.type === 'message-finished' ? [event.usage] : [])),
  )
  const prices = usages.map(
    (usage) => (usage?.costUSD ?? 0) / ((usage?.inputTokens ?? 0) + 5 * (usage?.outputTokens ?? 0)),
  )
  expect(prices).toHaveLength(5)
  for (const price of prices) expect(price).toBeCloseTo(0.000002, 9)
})

test.each([
  ['before it has heard the prompt', 0],
  ['while it begins', 30],
])('an interruption %s ends the turn, and the next one is answered', async (_, ms) => {
  const { open, received } = await ground()
  const connection = await open()
  const stop = new AbortController()
  const turn = Array.fromAsync(connection.send('one', stop.signal))
  setTimeout(() => stop.abort(), ms)
  expect((await turn).at(-1)).toMatchObject({ type: 'turn-finished' })
  const events = await run(connection, 'two')
  expect(events.at(-1)).toMatchObject({ type: 'turn-finished', reason: 'done' })
  expect(received().at(-1)).toContain('two')
})

test('a turn that is interrupted while a tool runs has cost what was spent until then', async () => {
  const { open } = await ground(() => [toolUse('Bash', { command: 'while true; do sleep 1; done' })])
  const connection = await open()
  const stop = new AbortController()
  const events: AgentEvent[] = []
  for await (const event of connection.send('go', stop.signal)) {
    events.push(event)
    if (event.type === 'message-finished') stop.abort()
  }
  const booked = events.flatMap((event) => ('usage' in event && event.usage ? [event.usage] : []))
  const { inputTokens = 0, outputTokens = 0 } = booked[0] ?? {}
  const cost = booked.reduce((sum, { costUSD }) => sum + costUSD, 0)
  expect(inputTokens).toBeGreaterThan(1000)
  expect(cost).toBeCloseTo((inputTokens + 5 * outputTokens) * 0.000002, 9)
})

test('a Claude that cannot be started fails its own session, and nothing else', async () => {
  const { open, cwd } = await ground()
  await expect(open({ cwd: join(cwd, 'gone') })).rejects.toThrow(/cannot be started in .*gone/)
})

test('a session that goes on hears of a changed system prompt, and its forks have the same one in any worktree', async () => {
  const { fake, open, cwd: project } = await ground()
  const worktree = join(await mkdtemp(join(tmpdir(), 'claude-worktree-')), 'tree')
  person(project, 'init', '-q', '-b', 'main')
  person(project, 'commit', '-q', '--allow-empty', '-m', 'begin')
  person(project, 'worktree', 'add', '-q', worktree)
  const prompts = () => JSON.stringify(fake.requests.at(-1)?.body.system)
  const first = await open({ systemPrompt: 'You talk with Ada.' })
  const events = await run(first, 'one')
  expect(prompts()).toContain('You talk with Ada.')
  await first.close()
  const changed = { systemPrompt: 'You talk with Grace.' }
  const resumed = await open({ ...changed, start: { kind: 'resume', nativeID: nativeID(events), at: null } })
  await run(resumed, 'two')
  const ofMain = prompts()
  expect(ofMain).toContain('You talk with Grace.')
  expect(ofMain).not.toContain('Ada')
  const fork = await open({ ...changed, ...forkAt(nativeID(events), entries(events).at(-1)), cwd: worktree })
  await run(fork, 'three')
  expect(prompts()).toBe(ofMain)
})
