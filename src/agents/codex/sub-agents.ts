import type { Usage } from '../../tree/usage.ts'
import type { AppServer } from './app-server.ts'
import type { Notification } from './protocol.ts'
import { UsageMeter } from './usage-meter.ts'

/** The agents that a thread has started for itself. Codex lets them go on when that thread is interrupted or closed. */
export class SubAgents {
  readonly #server: AppServer
  /** Their threads, with the turn that runs. */
  readonly #turns = new Map<string, string | null>()
  readonly #meters = new Map<string, UsageMeter>()
  #mayBegin = false

  constructor(server: AppServer) {
    this.#server = server
  }

  /** Something that one of their threads told; gives what it has used, where it told that. */
  told({ method, params }: Notification): Usage | null {
    if (method === 'turn/started') this.#began(params.threadId, params.turn.id)
    if (method === 'turn/completed') this.#turns.set(params.threadId, null)
    if (method === 'thread/closed') this.#turns.delete(params.threadId)
    if (method !== 'thread/tokenUsage/updated') return null
    const meter = this.#meters.get(params.threadId) ?? new UsageMeter(true)
    this.#meters.set(params.threadId, meter)
    return meter.read(params.tokenUsage)
  }

  /** From now on they may begin something. */
  allow(): void {
    this.#mayBegin = true
  }

  /** Interrupts what they do, and what they are about to do. */
  async stop(): Promise<void> {
    this.#mayBegin = false
    const turns = [...this.#turns]
    this.#turns.clear()
    await Promise.all(turns.map(([threadID, turnID]) => this.#end(threadID, turnID)))
  }

  // One may have been asked to, and not have begun, when everything was stopped.
  #began(threadID: string, turnID: string): void {
    if (this.#mayBegin) this.#turns.set(threadID, turnID)
    else void this.#end(threadID, turnID)
  }

  // Its commands end with its thread. One that has just ended by itself cannot be interrupted any more, which is as good.
  async #end(threadId: string, turnId: string | null): Promise<void> {
    await Promise.allSettled([
      ...(turnId === null ? [] : [this.#server.request('turn/interrupt', { threadId, turnId })]),
      this.#server.request('thread/unsubscribe', { threadId }),
    ])
  }
}
