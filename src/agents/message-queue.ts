/** What goes to an agent's process or comes from it, for one reader, who may be slower. */
export class MessageQueue<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = []
  #wake: () => void = () => {}
  #ended = false

  push(value: T): void {
    this.#waiting.push(value)
    this.#wake()
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      yield* this.#waiting.splice(0)
      if (this.#waiting.length > 0) continue
      if (this.#ended) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
