import type { AgentEvent, Driver } from '../../src/agents/driver.ts'
import { ScriptedAgent } from './scripted-agent.ts'

/** An agent that says what the test says, as soon as it says it. */
export class SpokenAgent {
  readonly driver: Driver
  #events: AgentEvent[] = []
  #more = Promise.withResolvers<void>()

  constructor() {
    this.driver = new ScriptedAgent('spoken', (_, signal) => this.#speak(signal)).driver
  }

  says(text: string): void {
    this.#add({ type: 'text', text })
  }

  /** It is done with its turn, and with what it was saying. */
  stops(): void {
    this.#add({ type: 'message-finished' }, { type: 'turn-finished', reason: 'done' })
  }

  #add(...events: readonly AgentEvent[]): void {
    this.#events.push(...events)
    this.#more.resolve()
  }

  async *#speak(signal: AbortSignal): AsyncGenerator<AgentEvent> {
    signal.addEventListener('abort', () => this.#add({ type: 'turn-finished', reason: 'interrupted' }))
    for (;;) {
      const event = this.#events.shift()
      if (event) yield event
      else await this.#next()
      if (event?.type === 'turn-finished') return
    }
  }

  async #next(): Promise<void> {
    await this.#more.promise
    this.#more = Promise.withResolvers()
  }
}
