/** So many things may be done at once; who comes later waits, and comes in the order in which they asked. */
export class Places {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(many: number) {
    this.#free = many
  }

  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }
}
