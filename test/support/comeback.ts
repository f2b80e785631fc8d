import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createClaudeDriver } from '../../src/agents/claude/claude.ts'
import { createCodexDriver } from '../../src/agents/codex/codex.ts'
import type { Connection, Driver } from '../../src/agents/driver.ts'
import { wordsInSequence } from '../../src/agents/offline/words.ts'
import type { Bough, PersonsDoing } from '../../src/bough.ts'
import type { BoughOptions } from '../../src/open-bough.ts'
import type { ChannelID, SessionID } from '../../src/tree/ids.ts'
import type { Outgoing } from '../../src/tree/outgoing.ts'
import type { Permission } from '../../src/tree/permission.ts'
import { messageParts, wishIn } from '../../src/tree/prompts.ts'
import type { SideFork } from '../../src/tree/side-fork.ts'
import type { TurnEnd } from '../../src/tree/turn.ts'
import { worktreesOf } from '../../src/workspace/worktree/worktrees-of.ts'
import { type AgentProgram, ofClaude, ofCodex } from './agent-processes.ts'
import { newHome, openForTest } from './bough.ts'
import { codexHome } from './codex-home.ts'
import * as anthropic from './fake-anthropic.ts'
import * as openai from './fake-openai.ts'
import { launcher } from './run-bough.ts'
import type { Scripted } from './server-sent.ts'
import { until } from './until.ts'

// A channel whose main is a real agent, with a fake of its model API. The model does what the person's own words say:
//
//   use NAME JSON (one of bough's tools) · run COMMAND · slow N (so many words, one at a time) · status N · hang
//
// each on a line of its own, and several calls are made at once. Everything else it answers with `heard: ` and the words;
// what tools gave back with `done`. `answers` says instead what it does about a prompt in which the key stands.

/** A request that the model got. */
export interface Heard {
  /** What precedes the conversation, byte for byte: the system prompt, and the tools. */
  readonly system: string
  readonly tools: string
  /** The conversation, message by message, byte for byte but for what no model reads: marks for the cache, ids. */
  readonly messages: readonly string[]
  /** What was said in it, without what the agent's own program puts there. */
  readonly said: readonly string[]
  /** The last thing in it. */
  readonly last: string
}

export interface ChannelAgent extends AgentProgram {
  readonly name: string
  readonly driver: Driver
  heard(): readonly Heard[]
  outside(): readonly string[]
  /** A driver whose program is not there. */
  missing(): Driver
}

interface Wish extends Scripted {
  readonly say: string
  readonly calls: readonly { readonly tool: string; readonly args: unknown }[]
  readonly run: string | null
}

function wishOf(prompt: string | null): Wish {
  const nothing = { calls: [], run: null }
  if (prompt === null) return { ...nothing, say: 'done' }
  const words = wishIn(messageParts(prompt))
  const calls = [...words.matchAll(/^use (\S+) ?(.*)$/gm)].map(([, tool = '', args = '']) => ({
    tool,
    args: JSON.parse(args || '{}') as unknown,
  }))
  if (calls.length > 0) return { ...nothing, say: 'I use it.', calls }
  const [, verb, rest = ''] = /^(run|slow|status|hang)\b ?(.*)$/s.exec(words) ?? []
  if (verb === 'run') return { ...nothing, say: 'I run it.', run: rest }
  if (verb === 'slow')
    return { ...nothing, say: wordsInSequence(Number(rest)).toArray().join(''), delayMs: 20, chunk: 20 }
  if (verb === 'hang') return { ...nothing, say: '', hang: true }
  if (verb === 'status')
    return { ...nothing, say: '', status: Number(rest), error: { type: 'api_error', message: `no: ${rest}` } }
  return { ...nothing, say: `heard: ${words}` }
}

export async function channelClaude(answers: ReadonlyMap<string, string> = new Map()): Promise<ChannelAgent> {
  const { text, toolUse } = anthropic
  const fake = await anthropic.startFakeAnthropic((request) => {
    const prompt = anthropic.lastPrompt(request)
    const [, answer] = [...answers].find(([key]) => prompt?.includes(key)) ?? []
    const { say, calls, run, error, ...how } = wishOf(answer ?? prompt)
    if (error) return { ...how, error: { type: error.type ?? 'api_error', message: error.message } }
    const uses = calls.map(({ tool, args }) => toolUse(`mcp__bough__${tool}`, args))
    const commands = run === null ? [] : [toolUse('Bash', { command: run, description: 'x' })]
    return { ...how, content: [text(say), ...uses, ...commands] }
  })
  onTestFinished(() => fake.close())
  const env: NodeJS.ProcessEnv = { ...(await anthropic.claudeHome(fake)), API_TIMEOUT_MS: '3000' }
  // The SDK looks for sessions by this process's own.
  process.env.CLAUDE_CONFIG_DIR = env.CLAUDE_CONFIG_DIR
  const options = { env, model: 'claude-sonnet-5' }
  return {
    name: 'claude',
    ...ofClaude(env),
    driver: createClaudeDriver(options),
    missing: () => createClaudeDriver({ ...options, executable: '/no/such/claude' }),
    outside: () => fake.outside,
    heard: () =>
      fake.requests.map(({ body: { system, tools, messages } }) => {
        // Claude gets what bough puts before a prompt as a block of its own.
        const said = anthropic.plain(messages).map((line) => line.replaceAll('</bough>\n|', '</bough>\n\n'))
        return {
          system: JSON.stringify(system),
          tools: JSON.stringify(tools),
          messages: messages.map(asCached),
          said,
          last: said.at(-1) ?? '',
        }
      }),
  }
}

// Claude writes a message with a mark as blocks, and without one mostly as a string.
const asCached = ({ role, content }: anthropic.SentMessage): string =>
  JSON.stringify(
    { role, content: typeof content === 'string' ? [{ type: 'text', text: content }] : content },
    (key, value) => (key === 'cache_control' ? undefined : value),
  )

export async function channelCodex(): Promise<ChannelAgent> {
  const { call, msg } = openai
  const fake = await openai.startFakeOpenAI(({ input }) => {
    const { role, content } = input.at(-1) ?? {}
    const prompt = role === 'user' && Array.isArray(content) ? content.at(-1)?.text : null
    const { say, calls, run, ...how } = wishOf(prompt ?? null)
    const uses = calls.map(({ tool, args }) => ({ ...call(tool, args), namespace: 'mcp__bough' }))
    const commands = run === null ? [] : [call('exec_command', { cmd: run })]
    return { ...how, items: [msg(say), ...uses, ...commands] }
  })
  onTestFinished(() => fake.close())
  const env = await codexHome(fake)
  const options = { env, mcpCommand: [process.execPath, launcher, 'mcp'], worktreesOf, patience: 8000 }
  return {
    name: 'codex',
    ...ofCodex(env),
    driver: createCodexDriver(options),
    missing: () => createCodexDriver({ ...options, executable: '/no/such/codex' }),
    outside: () => fake.outside,
    heard: () =>
      fake.requests.map(({ body: { instructions, tools, input } }) => {
        const said = openai.plain(input)
        const items = input.map(({ id: _, ...item }) => item)
        const first = items.findIndex(({ role }) => role !== 'developer')
        return {
          system: JSON.stringify([instructions, items.slice(0, first)]),
          tools: JSON.stringify(tools),
          messages: items.slice(first).map((item) => JSON.stringify(item)),
          said,
          last: said.at(-1) ?? '',
        }
      }),
  }
}

/** What was said, without what bough put before it. */
export const wordsIn = ({ said }: Heard): readonly string[] =>
  said.map((line) => {
    const [, who = '', words = ''] = /^(\w+: |)(.*)$/s.exec(line) ?? []
    return `${who}${wishIn(messageParts(words))}`
  })

/** What was said so far, and how the model answered to that. */
export const told = (...prompts: readonly string[]): readonly string[] =>
  prompts.flatMap((prompt) => [`user: ${prompt}`, `assistant: heard: ${prompt}`])

/** How often something is in what the model got. */
export const timesIn = ({ messages }: Heard, text: string): number =>
  messages.join('\n').split(text).length - 1

/** Something that a fork, or bough, sent to the channel. */
export interface Sent {
  readonly what: Outgoing
  /** As the chat knows it. */
  readonly externalID: string
}

export interface Ground {
  readonly agent: ChannelAgent
  readonly bough: Bough
  readonly channelID: ChannelID
  /** Where its agents work. */
  readonly project: string
  /** How many of the agent's are open; and whether its program can be started. */
  readonly connections: { readonly open: number; isProgramThere: boolean }
  /** What agents were opened with: a fork of one that has another would not show it, but one of another agent. */
  readonly systemPrompts: ReadonlySet<string>
  readonly sent: readonly Sent[]
  readonly asked: readonly Permission[]
  /** How the turns that were shown have ended. */
  readonly ends: readonly TurnEnd[]
  /** What bough told only the one who asked. */
  readonly told: readonly string[]
  /** The person says something in the channel; resolves when all that it brought is done. */
  say(text: string, replyTo?: Sent): Promise<void>
  does(what: PersonsDoing): Promise<void>
  mainID(): Promise<SessionID>
  forkID(): Promise<SessionID | null>
  /** Starts a run and waits for its end. */
  run(prompt: string, allowedTools?: readonly string[]): Promise<SideFork>
  /** Waits for the end of the newest run. */
  runEnded(count?: number): Promise<SideFork>
  /** Waits until something of a kind is sent. */
  sentOf<K extends Outgoing['kind']>(
    kind: K,
    count?: number,
  ): Promise<Sent & { what: Outgoing & { kind: K } }>
  /** The newest request. */
  newest(): Heard
}

/** A channel with a real agent, shown by a front end that notes everything. */
export async function openGround(
  real: () => Promise<ChannelAgent>,
  { permissions = { allow: ['run'] }, ...options }: GroundOptions = {},
): Promise<Ground> {
  const home = await newHome()
  mkdirSync(dirname(home.config), { recursive: true })
  writeFileSync(home.config, JSON.stringify({ permissions }))
  const agent = await real()
  onTestFinished(() => expect(agent.outside()).toEqual([]))
  const systemPrompts = new Set<string>()
  const connections = { open: 0, isProgramThere: true }
  const driver: Driver = {
    ...agent.driver,
    async open(opening) {
      systemPrompts.add(opening.systemPrompt)
      const from = connections.isProgramThere ? agent.driver : agent.missing()
      const { send, close } = bound(await from.open(opening))
      connections.open++
      const closed = async () => {
        await close()
        connections.open--
      }
      return { send, close: closed }
    },
  }
  const bough = await openForTest(home, { drivers: [driver], ...options })
  const channel = await bough.openChannel(
    { frontEnd: 'test', key: 'one' },
    { agent: agent.name, directory: home.project },
  )
  const [sent, asked, ends, told]: [Sent[], Permission[], TurnEnd[], string[]] = [[], [], [], []]
  await bough.attend(channel.id, {
    async show(turn) {
      for await (const event of turn.events) if (event.type === 'permission') asked.push(event.permission)
      ends.push(await turn.ended)
    },
    async send(what, id) {
      sent.push({ what, externalID: `chat-${id}` })
      return `chat-${id}`
    },
    async edit() {},
    async ask(permission) {
      asked.push(permission)
    },
  })
  const does = (what: PersonsDoing) => bough.say(channel.id, what, { tell: (words) => told.push(words) })
  const runEnded = (count = 1) =>
    until('the run to end', async () => {
      const runs = (await bough.sideForks()).filter(({ kind }) => kind === 'background')
      return runs.length >= count && runs.every(({ state }) => state === 'ended') ? runs[0] : null
    })
  return {
    agent,
    bough,
    channelID: channel.id,
    sent,
    asked,
    ends,
    told,
    does,
    say: (text, replyTo) =>
      does({
        kind: 'message',
        text,
        ...(replyTo && { replyTo: { externalID: replyTo.externalID, text: wordsOf(replyTo) } }),
      }),
    mainID: async () => (await bough.channel(channel.id)).mainID,
    forkID: async () => (await bough.channel(channel.id)).openForkID,
    async run(prompt, allowedTools) {
      const { sessionID } = await bough.runBackground(channel.id, prompt, allowedTools && { allowedTools })
      return until('the run to end', async () => {
        const fork = await bough.sideFork(sessionID)
        return fork?.state === 'ended' && fork
      })
    },
    runEnded,
    connections,
    systemPrompts,
    project: home.project,
    sentOf: (kind, count = 1) =>
      until(`${count} of ${kind} to be sent`, () => {
        const found = sent.filter(
          (each): each is Sent & { what: Outgoing & { kind: typeof kind } } => each.what.kind === kind,
        )
        return found.length >= count && found.at(-1)
      }),
    newest: () => agent.heard().at(-1) ?? nothing,
  }
}

export interface GroundOptions extends Omit<BoughOptions, 'drivers'> {
  readonly permissions?: object
}

const bound = (connection: Connection): Connection => ({
  send: (prompt, signal) => connection.send(prompt, signal),
  close: () => connection.close(),
})

const nothing: Heard = { system: '', tools: '', messages: [], said: [], last: '' }

const wordsOf = ({ what }: Sent): string =>
  what.kind === 'message' || what.kind === 'notice' ? what.text : what.kind === 'embed' ? what.title : ''
