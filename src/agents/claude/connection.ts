import type {
  Options,
  Query,
  SDKMessage,
  SDKResultMessage,
  SDKUserMessage,
} from '@anthropic-ai/claude-agent-sdk'
import { toldAndWords } from '../../tree/prompts.ts'
import { AgentProcess, exitWords } from '../agent-process.ts'
import type { AgentEvent, Connection, OpenOptions } from '../driver.ts'
import { MessageQueue } from '../message-queue.ts'
import { CallDecisions, hookTimeoutSeconds } from './call-decisions.ts'
import { CostMeter } from './cost-meter.ts'
import type { Claude } from './find-claude.ts'
import { missing, saysMissing } from './no-session.ts'
import { serversOf } from './own-tools.ts'
import { projectOptions } from './project-options.ts'
import { claudeNeeds } from './sandbox-needs.ts'
import { spawned } from './spawned.ts'
import { Transcript } from './transcript.ts'
import { lackingIn } from './unsent.ts'

/** What makes no sense here: nobody sees its dialogs, and worktrees and schedules are bough's. */
const notOffered = [
  ...['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'EnterWorktree', 'ExitWorktree'],
  ...['CronCreate', 'CronDelete', 'CronList', 'ScheduleWakeup'],
]

interface ConnectionParts {
  readonly query: Query
  readonly prompts: MessageQueue<SDKUserMessage>
  readonly process: AgentProcess
  readonly costs: CostMeter
  readonly decisions: CallDecisions
}

/** One Claude process, which lives from turn to turn. */
export class ClaudeConnection implements Connection {
  readonly #query: Query
  readonly #messages: AsyncIterator<SDKMessage>
  readonly #prompts: MessageQueue<SDKUserMessage>
  readonly #process: AgentProcess
  #unsent: readonly string[]
  readonly #costs: CostMeter
  #nativeID: string | null = null

  static async open(claude: Claude, options: OpenOptions, env: NodeJS.ProcessEnv): Promise<ClaudeConnection> {
    const prompts = new MessageQueue<SDKUserMessage>()
    const { promise: started, resolve, reject } = Promise.withResolvers<AgentProcess>()
    const project = await projectOptions(options)
    const confine = await options.sandbox?.prepare(await claudeNeeds(env, project.reads))
    // What cannot be started the SDK tells by throwing, and then nobody waits for this.
    started.catch(() => {})
    started.then(({ exited }) => exited).then(project.remove, project.remove)
    const decisions = new CallDecisions(options, () => query.mcpServerStatus())
    const query: Query = claude.sdk.query({
      prompt: prompts,
      options: {
        ...optionsFor(claude, { ...options, systemPrompt: project.systemPrompt }, decisions),
        ...project.options,
        env: { ...env, CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' },
        spawnClaudeCodeProcess: ({ command, args, cwd = options.cwd, env }) => {
          try {
            const program = { command, args, cwd, env }
            const process = AgentProcess.start(confine ? confine(program) : program)
            resolve(process)
            return spawned(process)
          } catch (error) {
            reject(error)
            throw error
          }
        },
      },
    })
    const process = await started
    let unsent: readonly string[]
    try {
      unsent = await lackingIn(claude.sdk, options.start, options.cwd, options.unsent)
      await options.recordProcess(process.pid)
    } catch (error) {
      await process.end()
      throw error
    }
    process.letThrough()
    if (options.start.kind === 'fork') await mustHaveForked(query, process)
    const costs = new CostMeter(options.start.kind === 'fresh' ? 'new' : 'continued')
    return new ClaudeConnection({ query, prompts, process, costs, decisions }, unsent)
  }

  private constructor(
    { query, prompts, process, costs, decisions }: ConnectionParts,
    unsent: readonly string[],
  ) {
    this.#query = query
    this.#messages = heardBy(decisions, query)
    this.#prompts = prompts
    this.#process = process
    this.#costs = costs
    this.#unsent = unsent
  }

  async *send(prompt: string, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    const transcript = new Transcript(this.#costs)
    const id = crypto.randomUUID()
    const interrupt = () => void this.#query.interrupt().catch(() => {})
    signal.addEventListener('abort', interrupt)
    try {
      this.#prompts.push(this.#promptOf(id, prompt))
      if (signal.aborted) interrupt()
      for (;;) {
        const { value: message, done } = await this.#messages.next()
        if (done) break
        // One that came too early was not heard.
        if (signal.aborted && message.type === 'system' && message.subtype === 'status') interrupt()
        yield* this.#bind(message)
        // What Claude did by itself in between is none of the turn's.
        if (message.type === 'result' && !isAbout(id, message)) continue
        yield* transcript.take(message)
        if (message.type === 'result') return
      }
      yield* transcript.breakOff()
      yield this.#ended()
    } catch (error) {
      yield* transcript.breakOff()
      yield this.#ended(error)
    } finally {
      signal.removeEventListener('abort', interrupt)
    }
  }

  async close(): Promise<void> {
    this.#prompts.end()
    this.#query.close()
    await this.#process.end()
  }

  // Prompts that it has not seen are parts of the next: to the model they are what the person said.
  #promptOf(uuid: `${string}-${string}-${string}-${string}-${string}`, prompt: string): SDKUserMessage {
    const texts = [...this.#unsent, ...withContextApart(prompt)]
    const content = texts.map((text) => ({ type: 'text' as const, text }))
    this.#unsent = []
    return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, uuid }
  }

  *#bind(message: SDKMessage): Generator<AgentEvent> {
    if (message.type !== 'system' || message.subtype !== 'init' || message.session_id === this.#nativeID)
      return
    this.#nativeID = message.session_id
    yield { type: 'native-session', nativeID: message.session_id }
  }

  #ended(error?: unknown): AgentEvent {
    const { exit } = this.#process
    const how = exit ? ` (it ${exitWords(exit)})` : ''
    const words = this.#process.lastWords || (error instanceof Error ? error.message : '')
    return {
      type: 'error',
      message: `Claude ended unexpectedly${how}. ${words}`.trim(),
    }
  }
}

/** The messages of a process. The decisions hear of each at once, also while nobody reads them here. */
function heardBy(decisions: CallDecisions, query: Query): AsyncIterator<SDKMessage> {
  const messages = new MessageQueue<SDKMessage>()
  const read = async () => {
    try {
      for await (const message of query) {
        decisions.heard(message)
        messages.push(message)
      }
    } finally {
      messages.end()
    }
  }
  const ended = read()
  // Told to whoever reads to the end; until then it is no unhandled rejection.
  ended.catch(() => {})
  return (async function* () {
    yield* messages
    await ended
  })()
}

// One that failed before it got to a prompt names none.
function isAbout(id: string, { user_message_uuids, user_message_uuid, is_error }: SDKResultMessage): boolean {
  const ids = user_message_uuids ?? (user_message_uuid === undefined ? null : [user_message_uuid])
  return ids?.includes(id) ?? is_error
}

// Claude takes a text that begins with a tag for none of the person's. A session that has no others it does not list, nor find.
function withContextApart(prompt: string): readonly string[] {
  const { words } = toldAndWords(prompt)
  const isApart = words !== '' && words !== prompt
  return isApart ? [prompt.slice(0, -words.length - 1), words] : [prompt]
}

// An entry that its line has left behind, by a rewind or a compaction, it does not find.
async function mustHaveForked(query: Query, process: AgentProcess): Promise<void> {
  try {
    await query.initializationResult()
  } catch (error) {
    await process.end()
    if (error instanceof Error && saysMissing(error.message)) throw missing(error)
    throw error
  }
}

function optionsFor({ sdk, executable }: Claude, options: OpenOptions, decisions: CallDecisions): Options {
  const { start, cwd, model, systemPrompt, tools } = options
  return {
    cwd,
    ...(model !== null && { model }),
    ...(executable !== null && { pathToClaudeCodeExecutable: executable }),
    ...(start.kind !== 'fresh' && { resume: start.nativeID }),
    ...(start.kind === 'fork' && { forkSession: true, resumeSessionAt: start.at }),
    systemPrompt: {
      type: 'preset',
      preset: 'claude_code',
      // Recorded once per session, it would never tell that session's agent of a change, such as the person's new name.
      snapshot: false,
      ...(systemPrompt !== '' && { append: systemPrompt }),
    },
    mcpServers: serversOf(sdk, tools),
    disallowedTools: notOffered,
    includePartialMessages: true,
    // Starting point only: `decisions` has the last word on every call.
    permissionMode: 'default',
    includeHookEvents: true,
    hooks: { PreToolUse: [{ hooks: [decisions.preToolUse], timeout: hookTimeoutSeconds }] },
    canUseTool: decisions.canUseTool,
  }
}
