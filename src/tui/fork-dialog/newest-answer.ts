/** Asks, a little after it was wanted last, and gives on only what was asked for last: an older answer that comes late is dropped. */
export class NewestAnswer<T> {
  readonly #take: (answer: T) => void
  #asked = 0
  #timer: NodeJS.Timeout | undefined
  #isAwaited = false

  constructor(take: (answer: T) => void) {
    this.#take = take
  }

  /** Something was asked and the answer is not there yet. */
  get isAwaited(): boolean {
    return this.#isAwaited
  }

  /** `question` must not reject: what goes wrong is an answer, too. */
  ask(question: () => Promise<T>, afterMilliseconds: number): void {
    this.forget()
    const asked = this.#asked
    this.#isAwaited = true
    this.#timer = setTimeout(() => void this.#answer(question, asked), afterMilliseconds)
  }

  /** No answer is wanted any more. */
  forget(): void {
    clearTimeout(this.#timer)
    this.#asked += 1
    this.#isAwaited = false
  }

  async #answer(question: () => Promise<T>, asked: number): Promise<void> {
    const answer = await question()
    if (asked !== this.#asked) return
    this.#isAwaited = false
    this.#take(answer)
  }
}
