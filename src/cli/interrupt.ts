import { constants } from 'node:os'
import type { ExitCode } from './command.ts'

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'
const everySignal: readonly Signal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** What a process ends with that a signal has ended. */
export const signalCode = (signal: NodeJS.Signals): ExitCode => 128 + constants.signals[signal]

/** Lets a person end some work early: the first signal aborts it, the second ends the process as signals do. */
export class Interrupt {
  readonly #controller = new AbortController()
  readonly #names: readonly Signal[]
  #received: Signal | null = null

  static listen(names: readonly Signal[] = everySignal): Interrupt {
    const interrupt = new Interrupt(names)
    for (const name of names) process.on(name, interrupt.#receive)
    return interrupt
  }

  private constructor(names: readonly Signal[]) {
    this.#names = names
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Resolves when something has come. */
  get came(): Promise<null> {
    const { signal } = this
    return new Promise((resolve) => {
      if (signal.aborted) resolve(null)
      else signal.addEventListener('abort', () => resolve(null), { once: true })
    })
  }

  /** What the process should end with; null when nothing came. */
  get exitCode(): ExitCode | null {
    return this.#received === null ? null : signalCode(this.#received)
  }

  /** As if the person had pressed Ctrl-C, for when the terminal hands it to us as a key. */
  readonly press = (): void => this.#receive('SIGINT')

  stop(): void {
    for (const name of this.#names) process.off(name, this.#receive)
  }

  readonly #receive = (name: Signal): void => {
    this.#received ??= name
    this.stop()
    this.#controller.abort()
  }
}
