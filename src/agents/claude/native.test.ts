import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as sdk from '@anthropic-ai/claude-agent-sdk'
import { expect, onTestFinished, test } from 'vitest'
import {
  claudeHome,
  lastBlock,
  plain,
  type Reply,
  startFakeAnthropic,
  text,
  thinking,
  toolUse,
} from '../../../test/support/fake-anthropic.ts'
import { untrusted } from '../../../test/support/project-access.ts'
import { createIds } from '../../tree/ids.ts'
import { textOf } from '../../tree/message.ts'
import type { NativeMessage } from '../../tree/native.ts'
import { DraftMessage } from '../../turns/draft.ts'
import { newRepository, person } from '../../workspace/testing/ground.ts'
import type { AgentEvent, Connection, NativeCommand, NativeSessions, Start } from '../driver.ts'
import { createClaudeDriver } from './claude.ts'

/** What the model does with a prompt; everything else is answered with "reply to" and the prompt. */
const replies: Readonly<Record<string, Reply>> = {
  work: {
    content: [
      thinking('hm'),
      text('I do.'),
      toolUse('Bash', { command: 'exit 3' }, 'toolu_a'),
      toolUse('Bash', { command: 'sleep 0.1; echo B' }, 'toolu_b'),
    ],
  },
  slow: { content: [thinking('hm'), text('word '.repeat(200))], delayMs: 20 },
  loop: { content: [text('I loop.'), toolUse('Bash', { command: 'while true; do sleep 1; done' })] },
  hang: { hang: true },
  stranger: { status: 401, error: { type: 'authentication_error', message: 'invalid x-api-key' } },
  refuse: { status: 400, error: { type: 'invalid_request_error', message: 'the fake refuses' } },
}

async function ground() {
  const fake = await startFakeAnthropic((request) => {
    const { type, text: prompt = '' } = lastBlock(request) ?? { type: '' }
    if (type === 'tool_result') return { content: [text('done')] }
    if (/summary/.test(prompt)) return { content: [text('<summary>what was said</summary>')] }
    return replies[prompt] ?? { content: [text(`reply to ${prompt}`)] }
  })
  onTestFinished(() => fake.close())
  onTestFinished(() => expect(fake.outside).toEqual([]))
  const env = await claudeHome(fake)
  process.env.CLAUDE_CONFIG_DIR = env.CLAUDE_CONFIG_DIR
  const cwd = await mkdtemp(join(tmpdir(), 'claude-project-'))
  const driver = createClaudeDriver({ env, model: 'claude-sonnet-5' })
  const { native } = driver
  if (!native) throw new Error('it keeps sessions')
  const open = async (start: Start = { kind: 'fresh' }, directory = cwd): Promise<Connection> => {
    const connection = await driver.open({
      sessionID: 'ses_test',
      model: null,
      cwd: directory,
      systemPrompt: '',
      project: untrusted(directory),
      start,
      unsent: [],
      history: async () => [],
      tools: [],
      askPermission: async () => ({ allow: true }),
      recordProcess: async () => {},
    })
    onTestFinished(() => connection.close())
    return connection
  }
  /** As a person does it, but that Claude prints the answer. */
  const byHand = async ({ command: [program, ...args] }: NativeCommand, ...more: readonly string[]) => {
    const line = [...args, '--model', 'claude-sonnet-5', '-p', ...more]
    const running = promisify(execFile)(program, line, { cwd, env })
    running.child.stdin?.end()
    return running.catch(() => null)
  }
  const resumed = (nativeID: string) => native.command({ kind: 'resume', nativeID, at: null }, cwd)
  return {
    env,
    cwd,
    driver,
    native,
    open,
    byHand,
    resumed,
    file: (nativeID: string) => fileOf(cwd, nativeID),
    asked: () => fake.requests.length,
    received: () => plain(fake.requests.at(-1)?.body.messages ?? []),
  }
}

function fileOf(cwd: string, nativeID: string): string {
  const project = join(process.env.CLAUDE_CONFIG_DIR ?? '', 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'))
  mkdirSync(project, { recursive: true })
  return join(project, `${nativeID}.jsonl`)
}

interface Told {
  readonly nativeID: string
  /** As turns store them: prompts have no native id there. */
  readonly messages: readonly Partial<NativeMessage>[]
}

/** Says these prompts, one turn each; interrupts where told to. */
async function say(
  connection: Connection,
  prompts: readonly string[],
  isEnough: (event: AgentEvent) => boolean = () => false,
): Promise<Told> {
  const draft = new DraftMessage(createIds(Date.now, randomBytes))
  const messages: Partial<NativeMessage>[] = []
  let nativeID = ''
  for (const prompt of prompts) {
    messages.push({ role: 'user', parts: [{ type: 'text', text: prompt }], status: 'complete' })
    const stop = new AbortController()
    for await (const event of connection.send(prompt, stop.signal)) {
      if (isEnough(event)) stop.abort()
      switch (event.type) {
        case 'native-session':
          nativeID = event.nativeID
          break
        case 'message-finished': {
          const { role = 'assistant', parts = [] } = draft.current() ?? {}
          draft.startNext()
          messages.push({
            role,
            parts,
            status: event.interrupted ? 'interrupted' : 'complete',
            nativeID: event.nativeID ?? null,
            usage: event.usage ? { ...event.usage, costUSD: 0 } : null,
          })
          break
        }
        case 'turn-finished':
          if (event.reason === 'interrupted')
            messages.push({ role: 'system', status: 'interrupted', nativeID: event.nativeID ?? null })
          break
        case 'error':
          messages.push({
            role: 'error',
            parts: [{ type: 'text', text: event.message }],
            status: 'failed',
            nativeID: event.nativeID ?? null,
          })
          break
        case 'text':
        case 'reasoning':
        case 'tool-call':
        case 'tool-result':
          draft.add(event)
      }
    }
  }
  await connection.close()
  return { nativeID, messages }
}

const last = ({ messages }: Told): string => messages.at(-1)?.nativeID ?? ''

/** Who said what. */
const said = async (native: NativeSessions, nativeID: string): Promise<readonly string[]> =>
  (await native.read(nativeID)).messages.map(({ role, parts }) => `${role}: ${textOf(parts)}`)

test('a session reads as its turns were told: thoughts, texts, calls, results, tokens, ids', async () => {
  const { native, open, cwd } = await ground()
  const before = Date.now()
  const live = await say(await open(), ['one', 'work', 'refuse'])
  const { session, messages, model, version } = await native.read(live.nativeID)
  expect(live.messages.map(({ role }) => role)).toEqual([
    ...['user', 'assistant'],
    ...['user', 'assistant', 'tool', 'assistant'],
    ...['user', 'error'],
  ])
  expect(messages).toMatchObject(live.messages)
  expect(messages[3]?.parts.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool-call', 'tool-call'])
  const ids = messages.map(({ nativeID }) => nativeID)
  expect(new Set(ids).size).toBe(ids.length)
  const times = messages.map(({ created }) => created)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(times[0]).toBeGreaterThanOrEqual(before)
  expect(times.at(-1)).toBeLessThanOrEqual(Date.now())
  expect(model).toBe('claude-sonnet-5')
  expect(version).toBe(await native.version(live.nativeID))
  expect(session).toMatchObject({ nativeID: live.nativeID, directory: cwd, forkedFrom: null })
})

test('interrupted turns read as they were told: in the middle of an answer, of a tool, and before either', async () => {
  const { native, open } = await ground()
  const told = await say(
    await open(),
    ['one', 'slow'],
    (event) => event.type === 'text' && /word/.test(event.text),
  )
  const { nativeID } = told
  const looped = await say(
    await open({ kind: 'resume', nativeID, at: last(told) }),
    ['loop'],
    (event) => event.type === 'message-finished',
  )
  const hung = await say(
    await open({ kind: 'resume', nativeID, at: last(looped) }),
    ['hang'],
    (event) => event.type === 'native-session',
  )
  const after = await say(await open({ kind: 'resume', nativeID, at: last(hung) }), ['after'])
  const { messages } = await native.read(nativeID)
  expect(messages).toMatchObject([...told.messages, ...looped.messages, ...hung.messages, ...after.messages])
  expect(messages.map(({ role, status }) => `${role} ${status}`)).toEqual([
    ...['user complete', 'assistant complete'],
    ...['user complete', 'assistant interrupted', 'system interrupted'],
    ...['user complete', 'assistant complete', 'tool complete', 'system interrupted'],
    ...['user complete', 'system interrupted'],
    ...['user complete', 'assistant complete'],
  ])
})

test("what was said in Claude's own tool comes after what was known, and makes another version", async () => {
  const { native, open, byHand, resumed } = await ground()
  const { nativeID, messages } = await say(await open(), ['one', 'work'])
  const version = await native.version(nativeID)
  await byHand(await resumed(nativeID), 'by hand')
  const history = await native.read(nativeID)
  expect(history.messages.slice(0, messages.length)).toMatchObject(messages)
  expect(history.messages.slice(messages.length).map(({ parts }) => textOf(parts))).toEqual([
    'by hand',
    'reply to by hand',
  ])
  expect(history.version).not.toBe(version)
})

test('a session that was rewound reads along its new line only', async () => {
  const { native, open, byHand, resumed } = await ground()
  const { nativeID, messages } = await say(await open(), ['one', 'two', 'three'])
  await byHand(await resumed(nativeID), 'another', '--resume-session-at', messages[1]?.nativeID ?? '')
  expect(await said(native, nativeID)).toEqual([
    'user: one',
    'assistant: reply to one',
    'user: another',
    'assistant: reply to another',
  ])
})

test('a session that was compacted reads from its beginning, with the summary where it was made', async () => {
  const { native, open, byHand, resumed } = await ground()
  const { nativeID } = await say(await open(), ['one', 'two'])
  await byHand(await resumed(nativeID), '/compact')
  await byHand(await resumed(nativeID), 'three')
  await byHand(await resumed(nativeID), '/compact briefly')
  await byHand(await resumed(nativeID), '/cost')
  const words = await said(native, nativeID)
  const summary = expect.stringMatching(/^summary: .*what was said/s)
  expect(words).toEqual([
    ...['user: one', 'assistant: reply to one', 'user: two', 'assistant: reply to two'],
    ...[summary, 'user: /compact', 'user: three', 'assistant: reply to three'],
    ...[summary, 'user: /compact briefly', 'user: /usage'],
  ])
})

test('only the words of the person are theirs', async () => {
  const { native, cwd, file } = await ground()
  const nativeID = randomUUID()
  const contents: readonly unknown[] = [
    [
      { type: 'text', text: '<system-reminder>be kind</system-reminder>' },
      { type: 'text', text: 'look at this' },
      { type: 'image', source: {} },
    ],
    'with <system-reminder>mine</system-reminder> in it\n<system-reminder>not mine</system-reminder>',
    '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>12</command-args>',
    '<bash-input>ls</bash-input>',
    '<bash-stdout>a.txt</bash-stdout><bash-stderr></bash-stderr>',
    '<local-command-stdout>fine</local-command-stdout>',
  ]
  writeFileSync(
    file(nativeID),
    lines(
      contents.map((content) => ['user', content]),
      nativeID,
      cwd,
    ),
  )
  expect(await said(native, nativeID)).toEqual([
    'user: look at this\n[image]',
    'user: with <system-reminder>mine</system-reminder> in it',
    'user: /review 12',
    'user: !ls',
  ])
})

test('the list has the sessions of a directory and of its worktrees, newest first, with what they are forks of', async () => {
  const { native, open } = await ground()
  const root = await newRepository({ 'a.txt': 'a\n' })
  const tree = join(await mkdtemp(join(tmpdir(), 'trees-')), 'tree')
  person(root, 'worktree', 'add', tree)
  const first = await say(await open(undefined, root), ['one', 'two'])
  const second = await say(await open(undefined, tree), ['in the worktree'])
  await say(await open(), ['elsewhere'])
  const { sessionId: forked } = await sdk.forkSession(first.nativeID, {
    upToMessageId: first.messages[1]?.nativeID ?? '',
    title: 'The fork',
  })
  const list = await native.list(root)
  expect(list).toMatchObject([
    { nativeID: forked, title: 'The fork', directory: root, forkedFrom: { nativeID: first.nativeID } },
    { nativeID: second.nativeID, title: 'in the worktree', directory: tree, forkedFrom: null },
    { nativeID: first.nativeID, title: 'two', directory: root, forkedFrom: null },
  ])
  expect(list[2]?.bytes).toBe(readFileSync(fileOf(root, first.nativeID)).length)
  const { session } = await native.read(forked)
  expect(session.forkedFrom).toEqual({ nativeID: first.nativeID, at: first.messages[1]?.nativeID })
})

test('the command of a fork goes on with exactly the history up to that entry, which keeps its ids', async () => {
  const { native, open, byHand, received, asked, cwd } = await ground()
  const parent = await say(await open(), ['one', 'work', 'three'])
  const before = await native.version(parent.nativeID)
  const requests = asked()
  const at = parent.messages[5]?.nativeID ?? ''
  const fork = await native.command({ kind: 'fork', nativeID: parent.nativeID, at }, cwd)
  expect(fork.nativeID).not.toBe(parent.nativeID)
  expect(asked()).toBe(requests)
  expect((await native.read(fork.nativeID)).messages).toMatchObject(parent.messages.slice(0, 6))
  await byHand(fork, 'in the fork')
  expect(received().map((line) => line.split(':')[0])).toEqual([
    ...['user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user'],
  ])
  expect(received().slice(-2)).toEqual(['assistant: done', 'user: in the fork'])
  expect((await said(native, fork.nativeID)).slice(-2)).toEqual([
    'user: in the fork',
    'assistant: reply to in the fork',
  ])
  expect(await native.version(parent.nativeID)).toBe(before)
})

test('a fork that cannot begin there is refused', async () => {
  const { native, open, cwd } = await ground()
  const { nativeID } = await say(await open(), ['one'])
  const refused = { code: 'native_missing' }
  const command = (nativeID: string) => native.command({ kind: 'fork', nativeID, at: randomUUID() }, cwd)
  await expect(command(nativeID)).rejects.toMatchObject(refused)
  await expect(command(randomUUID())).rejects.toMatchObject(refused)
})

test('the command is plain where that is the program that would run', async () => {
  const { native, env, cwd } = await ground()
  const start = { kind: 'resume', nativeID: randomUUID(), at: null } as const
  const { command } = await native.command(start, cwd)
  expect(command[0]).toMatch(/^\/.*claude$/)
  const folder = await mkdtemp(join(tmpdir(), 'bin-'))
  symlinkSync(command[0], join(folder, 'claude'))
  const onPath = createClaudeDriver({ env: { ...env, PATH: `${folder}:${env.PATH}` } })
  expect(await onPath.native?.command(start, cwd)).toEqual({
    command: ['claude', '--resume', start.nativeID],
    nativeID: start.nativeID,
  })
})

test('a session that is not there is missing, and one that makes no sense is unreadable', async () => {
  const { native, open, file } = await ground()
  for (const nativeID of [randomUUID(), 'no such thing']) {
    await expect(native.read(nativeID)).rejects.toMatchObject({ code: 'native_missing' })
    expect(await native.version(nativeID)).toBeNull()
  }
  const { nativeID } = await say(await open(), ['one'])
  writeFileSync(file(nativeID), 'no JSON\n{"half": \n')
  await expect(native.read(nativeID)).rejects.toMatchObject({ code: 'native_unreadable' })
  rmSync(file(nativeID))
  mkdirSync(file(nativeID))
  await expect(native.read(nativeID)).rejects.toMatchObject({ code: expect.stringMatching(/^native_/) })
})

test('garbage in between and a last line that is half written are left out', async () => {
  const { native, open, file, byHand, resumed } = await ground()
  const { nativeID, messages } = await say(await open(), ['one'])
  appendFileSync(file(nativeID), 'garbage\n{"type":"user","uuid":7}\n')
  await byHand(await resumed(nativeID), 'two')
  appendFileSync(file(nativeID), '{"type":"user","mess')
  const read = await native.read(nativeID)
  expect(read.messages).toHaveLength(4)
  expect(read.messages.slice(0, 2)).toMatchObject(messages)
})

test('what sub-agents said among themselves is no part of it', async () => {
  const { native, cwd, file } = await ground()
  const nativeID = randomUUID()
  const main = lines(
    [
      ['user', 'one'],
      ['assistant', 'two'],
    ],
    nativeID,
    cwd,
  )
  const aside = lines(
    [
      ['user', 'aside'],
      ['assistant', 'also aside'],
    ],
    nativeID,
    cwd,
  )
  writeFileSync(file(nativeID), main + aside.replaceAll('"isSidechain":false', '"isSidechain":true'))
  expect(await said(native, nativeID)).toEqual(['user: one', 'assistant: two'])
})

test('ten thousand messages are read', async () => {
  const { native, cwd, file } = await ground()
  const nativeID = randomUUID()
  const turns = Array.from({ length: 5000 }, (_, i) => [
    ['user', `prompt ${i}`] as const,
    ['assistant', [{ type: 'text', text: `answer ${i}` }]] as const,
  ])
  writeFileSync(file(nativeID), lines(turns.flat(), nativeID, cwd))
  const { messages } = await native.read(nativeID)
  expect(messages).toHaveLength(10_000)
  expect(messages.at(-1)?.parts).toEqual([{ type: 'text', text: 'answer 4999' }])
})

/** A session's file, made by hand. */
function lines(said: readonly (readonly [string, unknown])[], sessionId: string, cwd: string): string {
  const ids = said.map(() => randomUUID())
  const entries = said.map(([type, content], i) => ({
    ...{ type, uuid: ids[i], parentUuid: ids[i - 1] ?? null, sessionId, cwd, isSidechain: false },
    timestamp: new Date(1_800_000_000_000 + i).toISOString(),
    message: {
      role: type,
      content,
      ...(type === 'assistant' && { id: `msg_${i}`, model: 'claude-sonnet-5' }),
    },
  }))
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}

test('models with the larger window say so in their name', async () => {
  const { driver } = await ground()
  expect(await driver.contextWindow(null)).toBe(1_000_000)
  expect(await driver.contextWindow('claude-haiku-4-5')).toBe(200_000)
  expect(await driver.contextWindow('claude-sonnet-4-5')).toBe(200_000)
  expect(await driver.contextWindow('claude-sonnet-4-5[1m]')).toBe(1_000_000)
})

test('a sign-in that is refused names the command that signs in, and none of its own terminal UI', async () => {
  const { open } = await ground()
  const connection = await open()
  const events = await Array.fromAsync(connection.send('stranger', new AbortController().signal))
  const error = events.find((event) => event.type === 'error')
  expect(error?.message).toMatch(
    /^\w.*\. Sign in with "claude auth login"; "bough doctor" says where that program is\.$/,
  )
  expect(error?.message).not.toContain('/login')
})
