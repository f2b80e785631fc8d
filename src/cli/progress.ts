import type { Output } from './output.ts'

const quiet = 1000
const frameTime = 100
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** A status that shows once something takes over a second: a spinner on a terminal, one plain line elsewhere. */
export class Progress {
  readonly #err: Output
  readonly #label: string
  readonly #started = performance.now()
  #timer: NodeJS.Timeout
  #drawn = false

  constructor(err: Output, label: string) {
    this.#err = err
    this.#label = label
    this.#timer = setTimeout(() => this.#begin(), quiet).unref()
  }

  /** Clears what was drawn. To be called before anything else is written. */
  stop(): void {
    clearTimeout(this.#timer)
    if (this.#drawn) this.#err.write('\r\x1b[2K')
    this.#drawn = false
  }

  #begin(): void {
    if (!this.#err.isTerminal) {
      this.#err.line(`bough: ${this.#label} …`)
      return
    }
    this.#draw()
    this.#timer = setInterval(() => this.#draw(), frameTime).unref()
  }

  #draw(): void {
    const time = performance.now() - this.#started
    const frame = frames[Math.floor(time / frameTime) % frames.length]
    const label = this.#label.slice(0, Math.max(0, (this.#err.columns ?? 80) - 12))
    this.#err.write(`\r\x1b[2K${this.#err.paint('dim', `${frame} ${label} ${Math.floor(time / 1000)} s`)}`)
    this.#drawn = true
  }
}

export async function withProgress<T>(err: Output, label: string, work: Promise<T>): Promise<T> {
  const progress = new Progress(err, label)
  try {
    return await work
  } finally {
    progress.stop()
  }
}
