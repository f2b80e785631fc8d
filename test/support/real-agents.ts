import { readdirSync, readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { createClaudeDriver } from '../../src/agents/claude/claude.ts'
import { createCodexDriver } from '../../src/agents/codex/codex.ts'
import type { Driver } from '../../src/agents/driver.ts'
import { codexHome } from './codex-home.ts'
import * as anthropic from './fake-anthropic.ts'
import * as openai from './fake-openai.ts'
import type { Scripted } from './server-sent.ts'

// The real agents, each with a fake of its model API. The model does what the last line of the prompt says:
//
//   run COMMAND · write PATH: TEXT · slow N (so many words, one at a time) · status N · hang · garbage
//
// and answers everything else with "reply to" and the prompt.

export interface RealAgent {
  readonly name: string
  /** For a driver, or for a whole process of bough. */
  readonly env: NodeJS.ProcessEnv
  readonly driver: Driver
  /** What the model was given in each request: what was said, without what the agent adds. */
  conversations(): readonly (readonly string[])[]
  /** Which model was asked in each request. */
  models(): readonly string[]
  /** Whom it tried to reach besides. */
  outside(): readonly string[]
  /** Tokens that the model told of so far. */
  told(): { readonly input: number; readonly output: number }
}

/** What the model shall do, whichever API it speaks. */
interface Wish extends Scripted {
  readonly say?: string
  readonly run?: string
  readonly write?: { readonly path: string; readonly text: string }
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
  const env: NodeJS.ProcessEnv = { ...(await anthropic.claudeHome(fake)), API_TIMEOUT_MS: '5000' }
  // The SDK looks for sessions by this process's own.
  process.env.CLAUDE_CONFIG_DIR = env.CLAUDE_CONFIG_DIR
  return {
    name: 'claude',
    env,
    driver: createClaudeDriver({ env, model: 'claude-sonnet-5' }),
    conversations: () => fake.requests.map(({ body }) => anthropic.plain(body.messages)),
    models: () => fake.requests.map(({ body }) => body.model),
    outside: () => fake.outside,
    told: () => ({
      input: sum(fake.requests.map(({ usage }) => usage?.input_tokens ?? 0)),
      output: sum(fake.requests.map(({ usage }) => usage?.output_tokens ?? 0)),
    }),
  }
}

export async function realCodex(): Promise<RealAgent> {
  const { call, msg } = openai
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
    env,
    driver: createCodexDriver({ env, mcpCommand: [], patience: 8000 }),
    conversations: () => fake.requests.map(({ body }) => openai.plain(body.input)),
    models: () => fake.requests.map(({ body }) => body.model),
    outside: () => fake.outside,
    told: () => ({
      input: sum(fake.requests.map(({ usage }) => usage?.input_tokens ?? 0)),
      output: sum(fake.requests.map(({ usage }) => usage?.output_tokens ?? 0)),
    }),
  }
}

/** The prompt that the model is to answer, when it is not a tool's result. */
const lastPrompt = (input: openai.ResponsesRequest['input']): string | null =>
  /^user: (.*)$/s.exec(openai.plain(input).at(-1) ?? '')?.[1] ?? null

/** What runs of an agent: all its processes have the directory of its home in their environment. */
export function processesOf({ env }: RealAgent): readonly number[] {
  const sign = `=${env.CLAUDE_CONFIG_DIR ?? env.CODEX_HOME}\0`
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && environmentOf(pid).includes(sign))
    .filter((pid) => !commandOf(pid).includes('bough.js'))
}

/** What one of them was started with. */
export const commandOf = (pid: number): string => textOf(`/proc/${pid}/cmdline`)

const environmentOf = (pid: number): string => textOf(`/proc/${pid}/environ`)

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
