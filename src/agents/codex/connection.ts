import { setTimeout as pause } from 'node:timers/promises'
import type { Json } from '../../tree/message.ts'
import type { AgentEvent, Connection, OpenOptions } from '../driver.ts'
import type { AppServer, ThreadListener } from './app-server.ts'
import { Approvals, type CodexSandbox, refusal } from './approvals.ts'
import { leavesSandbox } from './leaves-sandbox.ts'
import type { Notification, ServerRequest } from './protocol.ts'
import type { Lease } from './shared-server.ts'
import { SubAgents } from './sub-agents.ts'
import { openThread, type Thread } from './thread.ts'
import { ToolSocket } from './tool-socket.ts'
import { Transcript } from './transcript.ts'
import { Turn } from './turn.ts'
import { lackingIn } from './unsent.ts'
import { UsageMeter } from './usage-meter.ts'

/** How long Codex gets to let go of a thread. */
const timeToLetGo = 2_000

interface ConnectionParts {
  readonly lease: Lease
  readonly thread: Thread
  readonly toolSocket: ToolSocket | null
  readonly options: OpenOptions
  /** Milliseconds until a turn in which nothing happens is given up. */
  readonly patience: number
  readonly sandbox: CodexSandbox
}

type DriverSettings = Pick<ConnectionParts, 'patience' | 'sandbox'> & {
  /** The file with Codex's own login. */
  readonly login: string
  readonly mcpCommand: readonly string[]
}

/** One thread of the shared server. */
export class CodexConnection implements Connection, ThreadListener {
  readonly #parts: ConnectionParts
  readonly #approvals: Approvals
  readonly #meter: UsageMeter
  readonly #subAgents: SubAgents
  readonly #stopListening: () => void
  readonly #closing = new AbortController()
  readonly #unloaded = Promise.withResolvers<void>()
  #unsent: readonly string[] = []
  #isBound = false
  #turn: Turn | null = null

  /** Owns the lease that `join` gives: it is released when this fails, or with the connection. */
  static async open(
    options: OpenOptions,
    { mcpCommand, patience, sandbox, login }: DriverSettings,
    join: (toolSocket: ToolSocket | null) => Promise<Lease>,
  ): Promise<CodexConnection> {
    const toolSocket = options.tools.length > 0 ? await ToolSocket.listen(options.tools) : null
    const lease = await join(toolSocket).catch(async (error) => {
      await toolSocket?.close()
      throw error
    })
    let thread: Thread
    try {
      const mcpServer = toolSocket?.serverFor(mcpCommand, lease.server.pid) ?? null
      thread = await openThread(lease.server, options, mcpServer, { sandbox, login })
    } catch (error) {
      await toolSocket?.close()
      await lease.release()
      throw error
    }
    const connection = new CodexConnection({ lease, thread, toolSocket, options, patience, sandbox })
    try {
      connection.#unsent = await lackingIn(lease.server, options.start, options.unsent)
      return connection
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  private constructor(parts: ConnectionParts) {
    const { options, thread, lease, sandbox } = parts
    this.#parts = parts
    this.#approvals = new Approvals({
      ...options,
      sandbox,
      leavesSandbox: (params) => leavesSandbox(lease.server, params),
    })
    this.#meter = new UsageMeter(options.start.kind === 'fresh')
    this.#subAgents = new SubAgents(lease.server)
    this.#stopListening = lease.server.listen(thread.id, this)
  }

  async *send(prompt: string, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    const { thread, patience } = this.#parts
    const turn = new Turn({
      patience,
      server: this.#server,
      threadID: thread.id,
      params: this.#turnParams(prompt),
      transcript: new Transcript((itemID) => this.#approvals.denialOf(itemID)),
      meter: this.#meter,
      signal: AbortSignal.any([signal, this.#closing.signal]),
    })
    this.#turn = turn
    this.#subAgents.allow()
    turn.signal.addEventListener('abort', () => void this.#subAgents.stop())
    void turn.over.then(() => {
      if (this.#turn !== turn) return
      this.#turn = null
      this.#approvals.turnEnded()
    })
    try {
      for await (const event of turn.events()) {
        const isKnown = event.type === 'native-session' && this.#isBound
        if (event.type === 'native-session') this.#isBound = true
        if (!isKnown) yield event
      }
    } finally {
      turn.stop()
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#release()
    this.#stopListening()
    await this.#parts.toolSocket?.close()
    await this.#parts.lease.release()
  }

  told(notification: Notification): void {
    const { method, params } = notification
    if (method === 'item/started') this.#approvals.began(params.item, params.threadId)
    if (method === 'item/completed') this.#approvals.ended(params.item)
    if (params.threadId !== this.#parts.thread.id) {
      const usage = this.#subAgents.told(notification)
      if (usage) this.#turn?.spent(usage)
    } else if (method === 'thread/closed') this.#unloaded.resolve()
    else if (this.#turn) this.#turn.told(notification)
    // What a resumed thread had used before.
    else if (method === 'thread/tokenUsage/updated') this.#meter.read(params.tokenUsage)
  }

  async asked(request: ServerRequest): Promise<Json> {
    return this.#turn ? this.#approvals.answer(request, this.#turn.signal) : refusal(request)
  }

  serverEnded(why: string): void {
    this.#turn?.serverEnded(why)
    this.#unloaded.resolve()
  }

  get #server(): AppServer {
    return this.#parts.lease.server
  }

  #turnParams(prompt: string): Json {
    const { id, permissions } = this.#parts.thread
    const input = [...this.#unsent, prompt].map((text) => ({ type: 'text', text, text_elements: [] }))
    this.#unsent = []
    return { threadId: id, input, permissions }
  }

  /** Makes Codex let go of the thread, so that another process can go on with it. */
  async #release(): Promise<void> {
    const { thread } = this.#parts
    // Somebody else has opened it since, on the same server.
    if (!this.#server.hears(thread.id, this)) return
    const timer = new AbortController()
    const released = async () => {
      await Promise.all([this.#turn?.over, this.#subAgents.stop()])
      await this.#server.request('thread/unsubscribe', { threadId: thread.id })
      await this.#unloaded.promise
    }
    // A server that is gone has let go as well.
    await Promise.race([released(), pause(timeToLetGo, undefined, { signal: timer.signal })]).catch(() => {})
    timer.abort()
  }
}
