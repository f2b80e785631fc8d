import { BoughError } from '../../tree/error.ts'
import type { Json } from '../../tree/message.ts'
import { withoutEscapes } from '../../tree/plain-text.ts'
import { AgentProcess, exitWords, type Program } from '../agent-process.ts'
import { refusal } from './approvals.ts'
import { onLine, parseLine } from './lines.ts'
import {
  envelope,
  type Item,
  type Notification,
  parseNotification,
  parseServerRequest,
  type ServerRequest,
} from './protocol.ts'
import { self } from './self.ts'

/** Who hears what a thread tells, and answers what it asks; also of the threads that it starts for agents of its own. */
export interface ThreadListener {
  told(notification: Notification): void
  asked(request: ServerRequest): Promise<Json>
  /** The server is gone; why, for a person. */
  serverEnded(why: string): void
}

export const serverProgram = (executable: string, env: NodeJS.ProcessEnv): Program => ({
  command: executable,
  args: ['app-server'],
  cwd: '/',
  env,
})

interface Waiting {
  resolve(result: unknown): void
  reject(error: Error): void
}

/** A `codex app-server`, which runs any number of threads: JSON-RPC, one message a line. */
export class AppServer {
  readonly #process: AgentProcess
  readonly #waiting = new Map<number, Waiting>()
  readonly #listeners = new Map<string, ThreadListener>()
  /** Threads of agents that a thread started, with the thread that did. */
  readonly #parents = new Map<string, string>()
  /** Turns that began in threads of which it is not known yet who started them. */
  readonly #unclaimed = new Map<string, Notification>()
  #lastID = 0
  readonly exited: Promise<void>

  /** Starts the process, which does nothing before `begin`. */
  static start(executable: string, env: NodeJS.ProcessEnv): AppServer {
    return AppServer.run(serverProgram(executable, env))
  }

  /** The same, where the program was changed to run in a sandbox. */
  static run(program: Program): AppServer {
    return new AppServer(AgentProcess.start(program))
  }

  private constructor(process: AgentProcess) {
    this.#process = process
    onLine(process.stdout, (line) => this.#take(line))
    this.exited = process.exited.then(() => this.#afterExit())
  }

  get pid(): number {
    return this.#process.pid
  }

  async begin(): Promise<void> {
    this.#process.letThrough()
    await this.request('initialize', {
      clientInfo: { ...self, title: self.name },
      // Ending a command that runs in the background is counted among the experiments.
      capabilities: { experimentalApi: true },
    })
    this.#send({ method: 'initialized' })
  }

  /** Rejects with a BoughError when it is refused, or the server is gone. */
  request(method: string, params: Json): Promise<unknown> {
    if (this.#process.exit) return Promise.reject(new BoughError('agent_failed', this.#howItEnded()))
    const id = ++this.#lastID
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.set(id, { resolve, reject })
    this.#send({ id, method, params })
    return promise
  }

  /** Until the returned function is called. */
  listen(threadID: string, listener: ThreadListener): () => void {
    this.#listeners.set(threadID, listener)
    return () => {
      if (this.#listeners.get(threadID) === listener) this.#listeners.delete(threadID)
    }
  }

  /** Whether what a thread tells still goes to that listener. */
  hears(threadID: string, listener: ThreadListener): boolean {
    return this.#listeners.get(threadID) === listener
  }

  /** Resolves when it is gone, with all that it started. */
  async end(): Promise<void> {
    await this.#process.end()
    await this.exited
  }

  #take(line: string): void {
    const message = parseLine(line)
    const { data } = envelope.safeParse(message)
    if (!data) return
    if (data.method !== undefined && data.id !== undefined) {
      void this.#answer(data.id, parseServerRequest(message))
    } else if (data.method !== undefined) {
      const notification = parseNotification(message)
      if (notification) this.#tell(notification)
    } else if (typeof data.id === 'number') {
      const waiting = this.#waiting.get(data.id)
      this.#waiting.delete(data.id)
      if (data.error) waiting?.reject(new BoughError('agent_failed', `Codex refused: ${data.error.message}`))
      else waiting?.resolve(data.result)
    }
  }

  #tell(notification: Notification): void {
    const { method, params } = notification
    if (method === 'item/started' || method === 'item/completed') {
      for (const child of threadsOfAgentsIn(params.item)) this.#adopt(child, params.threadId)
    }
    const listener = this.#listenerOf(params.threadId)
    if (listener) listener.told(notification)
    else if (method === 'turn/started') this.#unclaimed.set(params.threadId, notification)
    else if (method === 'turn/completed') this.#unclaimed.delete(params.threadId)
  }

  // The first that names a thread has started it; others only talk to it.
  #adopt(child: string, threadID: string): void {
    if (this.#parents.has(child) || this.#listeners.has(child)) return
    this.#parents.set(child, threadID)
    const begun = this.#unclaimed.get(child)
    this.#unclaimed.delete(child)
    if (begun) this.#listenerOf(child)?.told(begun)
  }

  // No question stays open: what nobody here understands, or fails to decide, is refused.
  async #answer(id: string | number, request: ServerRequest | null): Promise<void> {
    if (!request) {
      this.#send({ id, error: { code: -32601, message: 'bough does not offer this.' } })
      return
    }
    this.#send({ id, result: await this.#decide(request).catch(() => refusal(request)) })
  }

  async #decide(request: ServerRequest): Promise<Json> {
    return this.#listenerOf(request.params.threadId)?.asked(request) ?? refusal(request)
  }

  #listenerOf(threadID: string): ThreadListener | null {
    const listener = this.#listeners.get(threadID)
    if (listener) return listener
    const parent = this.#parents.get(threadID)
    return parent === undefined ? null : this.#listenerOf(parent)
  }

  #send(message: Json): void {
    if (!this.#process.exit) this.#process.stdin.write(`${JSON.stringify(message)}\n`)
  }

  #afterExit(): void {
    const why = this.#howItEnded()
    for (const { reject } of this.#waiting.values()) reject(new BoughError('agent_failed', why))
    this.#waiting.clear()
    for (const listener of this.#listeners.values()) listener.serverEnded(why)
  }

  #howItEnded(): string {
    const how = this.#process.exit ? ` (it ${exitWords(this.#process.exit)})` : ''
    const words = lastLine(withoutEscapes(this.#process.lastWords))
    return `Codex ended unexpectedly${how}${words === '' ? '.' : `: ${words}`}`
  }
}

function threadsOfAgentsIn(item: Item): readonly string[] {
  if (item.type === 'subAgentActivity') return [item.agentThreadId]
  return item.type === 'collabAgentToolCall' ? item.receiverThreadIds : []
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim() ?? ''
