const interval = 500

/** Saves what streams from time to time, and not more often than that. */
export class DraftSaver {
  readonly #save: () => Promise<void>
  readonly #onFailure: (error: unknown) => void
  #timer: NodeJS.Timeout | null = null
  #last = -interval
  #saving: Promise<void> = Promise.resolve()

  constructor(save: () => Promise<void>, onFailure: (error: unknown) => void) {
    this.#save = save
    this.#onFailure = onFailure
  }

  /** At once when the last time is long ago, so that even the first word survives a crash. */
  soon(): void {
    const wait = Math.max(this.#last + interval - performance.now(), 0)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#last = performance.now()
      this.#saving = this.#save().catch(this.#onFailure)
    }, wait)
  }

  /** Resolves when nothing is being saved any more. */
  async stop(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    await this.#saving
  }
}
