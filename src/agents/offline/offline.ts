import type { AgentEvent, Connection, Driver, OpenOptions } from '../driver.ts'
import type { Step } from './instructions.ts'
import { pause, type Sleep } from './interruptible.ts'
import { Memory } from './memory.ts'
import { type Outcome, takeStep } from './steps.ts'
import { Turn } from './turn.ts'

export interface OfflineOptions {
  /** Milliseconds between two pieces of what it says. */
  readonly pace?: number
  readonly sleep?: Sleep
}

/**
 * The agent that is part of bough: it needs no account and no network, follows plain instructions for real and
 * otherwise tells what it was told. It is no model. The same line and prompt have the same answer.
 */
export function createOfflineDriver({ pace = 10, sleep = pause }: OfflineOptions = {}): Driver {
  return {
    name: 'offline',
    capabilities: { history: 'line' },
    settings: [],
    shipped: async () => [],
    native: null,
    contextWindow: async () => null,
    open: (options) => OfflineConnection.open(options, pace, sleep),
    check: async () => ({
      installed: true,
      ready: true,
      detail:
        'Part of bough, nothing to set up. It is no model: it follows plain instructions and recalls what it was told.',
    }),
    close: async () => {},
  }
}

class OfflineConnection implements Connection {
  readonly #options: OpenOptions
  readonly #memory: Memory
  readonly #pace: number
  readonly #sleep: Sleep
  readonly #closing = new AbortController()
  #lastStep: Promise<unknown> = Promise.resolve()

  private constructor(options: OpenOptions, memory: Memory, pace: number, sleep: Sleep) {
    this.#options = options
    this.#memory = memory
    this.#pace = pace
    this.#sleep = sleep
  }

  /** The line is read here, once: the prompts that `send` is given come after it. */
  static async open(options: OpenOptions, pace: number, sleep: Sleep): Promise<OfflineConnection> {
    return new OfflineConnection(options, Memory.ofLine(await options.history()), pace, sleep)
  }

  async *send(prompt: string, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    const stop = AbortSignal.any([signal, this.#closing.signal])
    const turn = new Turn({
      prompt,
      memory: this.#memory,
      pace: this.#pace,
      sleep: this.#sleep,
      signal: stop,
      takeStep: (step, callID) => this.#takeStep(step, callID, stop),
    })
    try {
      for await (const event of turn.events()) {
        stop.throwIfAborted()
        yield event
      }
    } catch (error) {
      if (!stop.aborted) throw error
      yield { type: 'turn-finished', reason: 'interrupted' }
    }
  }

  /** Interrupts the turn, if one runs, and waits until its command is gone. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled([this.#lastStep])
  }

  #takeStep(step: Step, callID: string, signal: AbortSignal): Promise<Outcome> {
    const outcome = takeStep(step, callID, this.#options, signal)
    this.#lastStep = outcome
    return outcome
  }
}
