import type { LineInput } from '../line-input.ts'
import type { Output } from '../output.ts'
import { Progress } from '../progress.ts'
import { TurnView } from '../turn-view.ts'

/**
 * What the line that is typed, the turn that is shown, and what comes in beside them share: one terminal. Nothing may be
 * written into the middle of something else.
 */
export class Screen {
  readonly #input: LineInput
  readonly #out: Output
  readonly #err: Output
  #view: TurnView | null = null
  #progress: Progress | null = null
  #turns: Promise<void> = Promise.resolve()

  constructor(input: LineInput, out: Output, err: Output) {
    this.#input = input
    this.#out = out
    this.#err = err
  }

  /** Shows whole lines: above the line that somebody types, between what a turn says, or right here. */
  print(...lines: readonly string[]): void {
    const write = (): void => {
      for (const line of lines) this.#out.line(line)
    }
    this.ready()
    if (this.#view && !this.#input.isTyped) this.#view.aside(write)
    else this.#input.above(write)
  }

  /** A status while nothing else happens. */
  wait(label: string): void {
    this.ready()
    this.#progress = new Progress(this.#err, label)
  }

  /** Ends that status. */
  ready(): void {
    this.#progress?.stop()
    this.#progress = null
  }

  /** Shows a turn as it streams. */
  async stream(work: (view: TurnView) => Promise<void>): Promise<void> {
    this.ready()
    const view = new TurnView({ text: this.#out, notes: this.#out, status: this.#err, ids: true })
    this.#view = view
    try {
      await work(view)
    } finally {
      this.#view = null
      view.close()
    }
  }

  /** One turn is shown after the other. */
  inTurn(work: () => Promise<void>): Promise<void> {
    const shown = this.#turns.then(work)
    this.#turns = shown.catch(() => {})
    return shown
  }

  /** Resolves when no turn is being shown. */
  settled(): Promise<void> {
    return this.#turns
  }
}
