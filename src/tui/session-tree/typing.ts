import { Input } from '@earendil-works/pi-tui'
import { plainLine } from '../../tree/plain-text.ts'

export interface TypingEnds {
  done(text: string): void
  givenUp?(): void
}

/** One line that the person types into the panel, and what becomes of it. */
export class Typing {
  readonly what: 'filter' | 'change'
  readonly label: string
  readonly done: TypingEnds['done']
  readonly givenUp: TypingEnds['givenUp']
  readonly #input = new Input()

  constructor(what: Typing['what'], label: string, text: string, { done, givenUp }: TypingEnds) {
    this.what = what
    this.label = label
    this.done = done
    this.givenUp = givenUp
    this.#input.focused = true
    this.#input.setValue(plainLine(text))
    // To the end of what is there already.
    this.#input.handleInput('\u0005')
  }

  get text(): string {
    return this.#input.getValue().trim()
  }

  type(data: string): void {
    this.#input.handleInput(data)
  }

  draw(columns: number): string {
    return this.#input.render(columns)[0] ?? ''
  }
}
