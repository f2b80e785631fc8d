import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { forkSession } from '@anthropic-ai/claude-agent-sdk'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { createClaudeDriver } from '../../src/agents/claude/claude.ts'
import { findClaude, programOf } from '../../src/agents/claude/find-claude.ts'
import { AppServer } from '../../src/agents/codex/app-server.ts'
import { createCodexDriver } from '../../src/agents/codex/codex.ts'
import { findCodex } from '../../src/agents/codex/find-codex.ts'
import type { Driver } from '../../src/agents/driver.ts'
import { worktreesOf } from '../../src/workspace/worktree/worktrees-of.ts'
import { type AgentProgram, ofClaude, ofCodex } from './agent-processes.ts'
import { codexHome } from './codex-home.ts'
import * as anthropic from './fake-anthropic.ts'
import * as openai from './fake-openai.ts'
import { launcher } from './run-bough.ts'
import type { Scripted } from './server-sent.ts'

// The real agents, each with a fake of its model API. The model does what the last line of the prompt says:
//
//   run COMMAND · write PATH: TEXT · slow N (so many words, one at a time) · status N · hang · garbage
//
// and answers everything else with "reply to" and the prompt. To a seed it says "Ready.", or does what the line
// "on seeds: …" in it says; with "on the first N seeds: …" only so many times.

export interface RealAgent extends AgentProgram {
  readonly name: string
  readonly driver: Driver
  /** What the model was given in each request: what was said, without what the agent adds. */
  conversations(): readonly (readonly string[])[]
  /** Each request as it was sent. */
  requests(): readonly string[]
  /** Which model was asked in each request. */
  models(): readonly string[]
  /** Whom it tried to reach besides. */
  outside(): readonly string[]
  /** What a person does in the agent's own tool: goes on with a session, or first goes back to one of its entries. */
  byHand(cwd: string, prompt: string, session?: OwnSession): Promise<void>
  /** Forks a session at one of its entries there, in the way that it records; gives the fork's native id. */
  forkByHand(nativeID: string, at: string): Promise<string>
  /** Tokens that the model told of so far. */
  told(): { readonly input: number; readonly output: number }
}

export interface OwnSession {
  readonly nativeID: string
  readonly rewindTo?: string
}

/** What the model shall do, whichever API it speaks. */
interface Wish extends Scripted {
  readonly say?: string
  readonly run?: string
  readonly write?: { readonly path: string; readonly text: string }
}

const isSeed = (prompt: string): boolean => prompt.startsWith('=== bough seed')

/** What a model does, which remembers how many seeds it was given. */
function createModel(): (prompt: string | null) => Wish {
  let seeds = 0
  return (prompt) => {
    if (prompt === null || !isSeed(prompt)) return wishOf(prompt)
    const [, first = '1000', wish] = /^on (?:the first (\d+) )?seeds: (.*)$/m.exec(prompt) ?? []
    return wish !== undefined && seeds++ < Number(first) ? wishOf(wish) : { say: 'Ready.', chunk: 2 }
  }
}

function wishOf(prompt: string | null): Wish {
  if (prompt === null) return { say: 'done' }
  const line = prompt.split('\n').at(-1) ?? ''
  const [, verb = '', rest = ''] = /^(\S+) ?(.*)$/s.exec(line) ?? []
  switch (verb) {
    case 'run':
      return { run: rest }
    case 'write': {
      const [, path = '', text = ''] = /^(\S+): (.*)$/s.exec(rest) ?? []
      return { write: { path, text } }
    }
    case 'slow':
      return {
        say: Array.from({ length: Number(rest) }, (_, i) => `word${i} `).join(''),
        delayMs: 20,
        chunk: 6,
      }
    case 'status':
      return { status: Number(rest), error: { type: 'api_error', message: `the fake says ${rest}` } }
    case 'hang':
      return { hang: true }
    case 'garbage':
      return { garbage: 'event: nonsense\ndata: {"half": \n\n' }
    default:
      return { say: `reply to ${prompt}` }
  }
}

export async function realClaude(): Promise<RealAgent> {
  const { text, toolUse } = anthropic
  const wishOf = createModel()
  const fake = await anthropic.startFakeAnthropic((request) => {
    const { say, run, write, error, ...how } = wishOf(anthropic.lastPrompt(request))
    if (error) return { ...how, error: { type: error.type ?? 'api_error', message: error.message } }
    if (run !== undefined)
      return { content: [text('I run it.'), toolUse('Bash', { command: run, description: 'x' })] }
    if (write)
      return {
        content: [
          text('I write it.'),
          toolUse('Write', { file_path: write.path, content: `${write.text}\n` }),
        ],
      }
    return { ...how, content: [text(say ?? '')] }
  })
  onTestFinished(() => fake.close())
  const env: NodeJS.ProcessEnv = { ...(await anthropic.claudeHome(fake)), API_TIMEOUT_MS: '3000' }
  // The SDK looks for sessions by this process's own.
  process.env.CLAUDE_CONFIG_DIR = env.CLAUDE_CONFIG_DIR
  return {
    name: 'claude',
    ...ofClaude(env),
    driver: createClaudeDriver({ env, model: 'claude-sonnet-5' }),
    conversations: () => fake.requests.map(({ body }) => anthropic.plain(body.messages)),
    requests: () => fake.requests.map(({ raw }) => raw),
    models: () => fake.requests.map(({ body }) => body.model),
    outside: () => fake.outside,
    forkByHand: async (nativeID, upToMessageId) => (await forkSession(nativeID, { upToMessageId })).sessionId,
    byHand: async (cwd, prompt, session) => {
      const rewind = session?.rewindTo ? ['--resume-session-at', session.rewindTo] : []
      const resume = session ? ['--resume', session.nativeID, ...rewind] : []
      await run(await claudeProgram(env), ['-p', prompt, ...resume, '--model', 'claude-sonnet-5'], cwd, env)
    },
    told: () => ({
      input: sum(fake.requests.map(({ usage }) => usage?.input_tokens ?? 0)),
      output: sum(fake.requests.map(({ usage }) => usage?.output_tokens ?? 0)),
    }),
  }
}

export async function realCodex(): Promise<RealAgent> {
  const { call, msg } = openai
  const wishOf = createModel()
  const fake = await openai.startFakeOpenAI(({ input }) => {
    const { say, run, write, ...how } = wishOf(lastPrompt(input))
    if (run !== undefined) return { items: [msg('I run it.'), call('exec_command', { cmd: run })] }
    if (write) {
      const patch = `*** Begin Patch\n*** Update File: ${write.path}\n@@\n-a\n+${write.text}\n*** End Patch`
      const command = { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` }
      return { items: [msg('I write it.'), call('exec_command', command)] }
    }
    return { ...how, items: [msg(say ?? '')] }
  })
  onTestFinished(() => fake.close())
  const env = await codexHome(fake)
  return {
    name: 'codex',
    ...ofCodex(env),
    driver: createCodexDriver({
      env,
      mcpCommand: [process.execPath, launcher, 'mcp'],
      worktreesOf,
      patience: 8000,
    }),
    conversations: () => fake.requests.map(({ body }) => openai.plain(body.input)),
    requests: () => fake.requests.map(({ raw }) => raw),
    models: () => fake.requests.map(({ body }) => body.model),
    outside: () => fake.outside,
    forkByHand: async (threadId, lastTurnId) =>
      withServer(await findCodex(env, null), env, async (server) => {
        const reply = await server.request('thread/fork', { threadId, lastTurnId })
        return z.looseObject({ thread: z.looseObject({ id: z.string() }) }).parse(reply).thread.id
      }),
    byHand: async (cwd, prompt, session) => {
      const program = await findCodex(env, null)
      if (session?.rewindTo) await rewindThread(program, env, session.nativeID, session.rewindTo)
      const resume = session ? ['resume', session.nativeID] : []
      await run(program, ['exec', '--skip-git-repo-check', ...resume, prompt], cwd, env)
    },
    told: () => ({
      input: sum(fake.requests.map(({ usage }) => usage?.input_tokens ?? 0)),
      output: sum(fake.requests.map(({ usage }) => usage?.output_tokens ?? 0)),
    }),
  }
}

async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const running = promisify(execFile)(program, args, { cwd, env })
  running.child.stdin?.end()
  await running
}

const claudeProgram = async (env: NodeJS.ProcessEnv): Promise<string> =>
  programOf(await findClaude(env, null), env)

/** As Codex's own tool does it: the thread ends with that turn. */
const rewindThread = (
  program: string,
  env: NodeJS.ProcessEnv,
  threadId: string,
  lastTurn: string,
): Promise<void> =>
  withServer(program, env, async (server) => {
    await server.request('thread/resume', { threadId })
    const { thread } = threadWithTurns.parse(
      await server.request('thread/read', { threadId, includeTurns: true }),
    )
    const next = thread.turns[thread.turns.findIndex(({ id }) => id === lastTurn) + 1]
    await server.request('thread/revert', { threadId, beforeTurnId: next?.id ?? '' })
  })

async function withServer<T>(
  program: string,
  env: NodeJS.ProcessEnv,
  work: (server: AppServer) => Promise<T>,
): Promise<T> {
  const server = AppServer.start(program, env)
  try {
    await server.begin()
    return await work(server)
  } finally {
    await server.end()
  }
}

const threadWithTurns = z.looseObject({
  thread: z.looseObject({ turns: z.array(z.looseObject({ id: z.string() })) }),
})

/** The prompt that the model is to answer, when it is not a tool's result. */
const lastPrompt = (input: openai.ResponsesRequest['input']): string | null =>
  /^user: (.*)$/s.exec(openai.plain(input).at(-1) ?? '')?.[1] ?? null

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
