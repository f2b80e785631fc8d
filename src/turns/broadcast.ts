/** Events that any number of readers get from the beginning, each at its own pace; nobody waits for a reader. */
export class Broadcast<T> implements AsyncIterable<T> {
  readonly #events: T[] = []
  #more = Promise.withResolvers<void>()
  #ended = false

  emit(event: T): void {
    this.#events.push(event)
    this.#wake()
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (let i = 0; ; ) {
      const more = this.#more.promise
      for (; i < this.#events.length; i++) {
        const event = this.#events[i]
        if (event !== undefined) yield event
      }
      if (this.#ended && i === this.#events.length) return
      if (more === this.#more.promise) await more
    }
  }

  #wake(): void {
    this.#more.resolve()
    this.#more = Promise.withResolvers<void>()
  }
}
