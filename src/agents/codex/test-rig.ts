import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { codexHome } from '../../../test/support/codex-home.ts'
import {
  call,
  type FakeOpenAI,
  msg,
  plain,
  type Reply,
  type ResponsesRequest,
  startFakeOpenAI,
} from '../../../test/support/fake-openai.ts'
import { untrusted } from '../../../test/support/project-access.ts'
import { launcher } from '../../../test/support/run-bough.ts'
import { worktreesOf } from '../../workspace/worktree/worktrees-of.ts'
import type { AgentEvent, Connection, Driver, OpenOptions, PermissionRequest } from '../driver.ts'
import { type CodexOptions, createCodexDriver } from './codex.ts'
import { findCodex } from './find-codex.ts'

export interface Rig {
  readonly fake: FakeOpenAI
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly driver: Driver
  /** A driver like that of another bough. */
  another(options?: Partial<CodexOptions>): Promise<Driver>
  open(options?: Partial<OpenOptions>, driver?: Driver): Promise<Opened>
  /** Replaces a piece of Codex's settings. */
  configure(piece: string, replacement: string): Promise<void>
  /** What the model was told last, by and for the person and the tools. */
  heard(): readonly string[]
}

export interface Opened {
  readonly connection: Connection
  readonly asked: readonly PermissionRequest[]
  readonly recorded: readonly number[]
  /** One turn to its end; `abort` is asked at every event whether to interrupt it there. */
  turn(prompt: string, abort?: (event: AgentEvent) => boolean): Promise<AgentEvent[]>
}

export type Respond = (prompt: string, request: ResponsesRequest) => Reply | Promise<Reply>

/** The real Codex with a model that does what the test says, in an empty directory. */
export async function startRig(respond: Respond = obey, extraConfig = ''): Promise<Rig> {
  const fake = await startFakeOpenAI((request) => respond(promptOf(request), request))
  onTestFinished(() => fake.close())
  onTestFinished(() => expect(fake.outside).toEqual([]))
  const env = await codexHome(fake, extraConfig)
  const cwd = await mkdtemp(join(tmpdir(), 'project-'))
  const executable = await findCodex({ PATH: '' }, null)

  const another = async (options: Partial<CodexOptions> = {}) => {
    const driver = createCodexDriver({ executable, env, mcpCommand: mcpRelay, worktreesOf, ...options })
    onTestFinished(() => driver.close())
    return driver
  }
  const driver = await another()
  const open = (options: Partial<OpenOptions> = {}, through = driver) => openOn(through, { cwd, ...options })
  const configure = async (piece: string, replacement: string) => {
    const file = join(env.CODEX_HOME ?? '', 'config.toml')
    await writeFile(file, (await readFile(file, 'utf8')).replace(piece, replacement))
  }
  return {
    fake,
    env,
    cwd,
    driver,
    another,
    open,
    configure,
    heard: () => plain(fake.requests.at(-1)?.body.input ?? []),
  }
}

/** What `bough mcp` is for a person. */
export const mcpRelay = [process.execPath, launcher, 'mcp']

async function openOn(driver: Driver, options: Partial<OpenOptions> & { cwd: string }): Promise<Opened> {
  const asked: PermissionRequest[] = []
  const recorded: number[] = []
  const connection = await driver.open({
    sessionID: 'ses_test',
    model: null,
    systemPrompt: '',
    project: untrusted(options.cwd),
    start: { kind: 'fresh' },
    unsent: [],
    history: async () => [],
    tools: [],
    recordProcess: async (pid) => {
      recorded.push(pid)
    },
    ...options,
    askPermission: async (request, signal) => {
      asked.push(request)
      return options.askPermission?.(request, signal) ?? { allow: true }
    },
  })
  onTestFinished(() => connection.close())
  const turn = async (prompt: string, abort: (event: AgentEvent) => boolean = () => false) => {
    const controller = new AbortController()
    const events: AgentEvent[] = []
    for await (const event of connection.send(prompt, controller.signal)) {
      events.push(event)
      if (abort(event)) controller.abort()
    }
    return events
  }
  return { connection, asked, recorded, turn }
}

/** The words of the person's last prompt; empty when the model is told a tool's output. */
function promptOf({ input }: ResponsesRequest): string {
  const last = input.at(-1)
  const content = last?.role === 'user' && Array.isArray(last.content) ? last.content : []
  return content.at(-1)?.text ?? ''
}

/** `run COMMAND` runs it; anything else is answered. */
export const obey: Respond = (prompt) => {
  if (prompt === '') return { items: [msg('That was it.')] }
  if (prompt.startsWith('run '))
    return { items: [msg('I run it.'), call('exec_command', { cmd: prompt.slice(4) })] }
  return { items: [msg(`You said: ${prompt}`)] }
}

export const saidIn = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('')

export const resultsIn = (events: readonly AgentEvent[]) =>
  events.filter((event) => event.type === 'tool-result')

export const usageIn = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'message-finished' && event.usage ? [event.usage] : []))

/** The events without what differs every time, and with the pieces of a text as one. */
export function shapeOf(events: readonly AgentEvent[]): readonly string[] {
  const shape: string[] = []
  let words = ''
  let kind: AgentEvent['type'] | null = null
  for (const event of [...events, null]) {
    if (event?.type !== kind && words !== '') shape.push(`${kind}: ${words}`)
    if (event?.type !== kind) words = ''
    kind = event?.type ?? null
    if (event?.type === 'text' || event?.type === 'reasoning') words += event.text
    else if (event?.type === 'tool-call') shape.push(`call ${event.name} ${JSON.stringify(event.args)}`)
    else if (event?.type === 'tool-result')
      shape.push(`result ${event.name} ${event.exitCode} ${event.output}`)
    else if (event?.type === 'turn-finished') shape.push(event.reason)
    else if (event) shape.push(event.type)
  }
  return shape
}

export const nativeIDIn = (events: readonly AgentEvent[]): string => {
  const bound = events.find((event) => event.type === 'native-session')
  if (!bound) throw new Error('No native session was told.')
  return bound.nativeID
}

export const turnIDIn = (events: readonly AgentEvent[]): string => {
  const last = events.at(-1)
  const id = last?.type === 'turn-finished' || last?.type === 'error' ? last.nativeID : undefined
  if (id === undefined) throw new Error(`The turn has no native id: ${JSON.stringify(last)}`)
  return id
}

/** The command lines of all processes that hold this text. */
export async function processesWith(text: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    // Those that end meanwhile have none.
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  )
  return lines.map((line) => line.replaceAll('\0', ' ')).filter((line) => line.includes(text))
}
