import { Input } from '@earendil-works/pi-tui'
import { plainLine } from '../../tree/plain-text.ts'
import { cut, filled } from '../screen/frame.ts'
import type { Paint } from '../screen/theme.ts'

const arrows = { left: '\u001b[D', right: '\u001b[C' } as const

/** One line that can be typed into. */
export class TextField {
  readonly #input = new Input({ prompt: '' })

  get text(): string {
    return plainLine(this.#input.getValue())
  }

  type(data: string): void {
    this.#input.handleInput(data)
  }

  move(way: keyof typeof arrows): void {
    this.#input.handleInput(arrows[way])
  }

  /** `instead` says what counts where nothing is typed. */
  draw(columns: number, paint: Paint, isFocused: boolean, instead: string): string {
    this.#input.focused = isFocused
    if (!isFocused) return this.text === '' ? paint('dim', cut(instead, columns)) : cut(this.text, columns)
    const cursor = this.#input.getValue() === '' ? 2 : columns
    const typed = filled(this.#input.render(cursor)[0] ?? '', cursor)
    return this.text === '' && cursor < columns ? typed + paint('dim', cut(instead, columns - cursor)) : typed
  }
}
