import type { AppServer } from './app-server.ts'
import type { Notification } from './protocol.ts'

/** The agents that a thread has started for itself. Codex lets them go on when that thread is interrupted or closed. */
export class SubAgents {
  readonly #server: AppServer
  /** Their threads, with the turn that runs. */
  readonly #turns = new Map<string, string | null>()

  constructor(server: AppServer) {
    this.#server = server
  }

  /** Something that one of their threads told. */
  told({ method, params }: Notification): void {
    if (method === 'turn/started') this.#turns.set(params.threadId, params.turn.id)
    if (method === 'turn/completed') this.#turns.set(params.threadId, null)
    if (method === 'thread/closed') this.#turns.delete(params.threadId)
  }

  /** Interrupts what they do, and unloads their threads: their commands end with these. */
  async stop(): Promise<void> {
    const requests = [...this.#turns].flatMap(([threadId, turnId]) => [
      ...(turnId === null ? [] : [this.#server.request('turn/interrupt', { threadId, turnId })]),
      this.#server.request('thread/unsubscribe', { threadId }),
    ])
    this.#turns.clear()
    // One that has just ended by itself cannot be interrupted any more, which is as good.
    await Promise.allSettled(requests)
  }
}
