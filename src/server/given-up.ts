import { BoughError } from '../tree/error.ts'

/** Prompts that can be given up by the key that their sender made up, before and while their turn runs. */
export class GivenUp {
  readonly #open = new Map<string, AbortController>()

  /** What aborts a prompt, until `done` is called. */
  keyed(key: string | undefined): { readonly stop: AbortController; done(): void } {
    const stop = new AbortController()
    if (key === undefined) return { stop, done: () => {} }
    this.#open.set(key, stop)
    const done = () => {
      // Somebody may have come with the same key since.
      if (this.#open.get(key) === stop) this.#open.delete(key)
    }
    return { stop, done }
  }

  /** False when there is no such prompt, or it is over. */
  giveUp(key: string): boolean {
    const stop = this.#open.get(key)
    stop?.abort()
    return stop !== undefined
  }
}

/** What its sender is told of it. */
export const givenUpError = (): BoughError =>
  new BoughError('closed', 'It was given up before its turn began; nothing was sent.')
