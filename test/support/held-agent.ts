import type { Driver } from '../../src/agents/driver.ts'
import { untilAborted } from '../../src/agents/offline/interruptible.ts'
import { createOfflineDriver } from '../../src/agents/offline/offline.ts'
import { until } from './until.ts'

/** The offline agent, which is held by `sleep N` in a prompt until the test says `release(N)`: nobody sleeps. */
export class HeldAgent {
  readonly driver: Driver
  readonly #gates = new Map<number, PromiseWithResolvers<void>>()

  constructor() {
    this.driver = createOfflineDriver({
      pace: 0,
      sleep: (milliseconds, signal) =>
        milliseconds === 0
          ? Promise.resolve()
          : untilAborted(this.#gate(milliseconds / 1000).promise, signal),
    })
  }

  /** Waits until it is held there. */
  async held(gate: number): Promise<void> {
    await until(`the agent to come to sleep ${gate}`, () => this.#gates.has(gate))
  }

  release(gate: number): void {
    this.#gate(gate).resolve()
  }

  #gate(gate: number): PromiseWithResolvers<void> {
    const found = this.#gates.get(gate) ?? Promise.withResolvers<void>()
    this.#gates.set(gate, found)
    return found
  }
}
