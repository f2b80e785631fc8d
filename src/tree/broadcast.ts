/** Events that any number of readers get from the beginning, each at its own pace; nobody waits for a reader. */
export class Broadcast<T> implements AsyncIterable<T> {
  readonly #events: T[] = []
  readonly #waiting = new Set<() => void>()
  #ended = false

  emit(event: T): void {
    this.#events.push(event)
    this.#wake()
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  /** A reader may leave at any time, also while it waits for the next event. */
  [Symbol.asyncIterator](): AsyncIterator<T> {
    let [seen, hasLeft, wake] = [0, false, () => {}]
    return {
      next: async () => {
        while (!hasLeft && seen === this.#events.length && !this.#ended) {
          const woken = Promise.withResolvers<void>()
          wake = woken.resolve
          this.#waiting.add(wake)
          await woken.promise
        }
        const event = this.#events[seen]
        if (hasLeft || event === undefined) return { done: true, value: undefined }
        seen++
        return { done: false, value: event }
      },
      return: async () => {
        hasLeft = true
        this.#waiting.delete(wake)
        wake()
        return { done: true, value: undefined }
      },
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }
}
