import { matchesKey } from '@earendil-works/pi-tui'
import { type Frame, filled, linesOnly, type Size, tall } from '../screen/frame.ts'
import type { Face } from '../screen/screen.ts'

/** So much is kept of what is typed before anybody can take it. */
const mostTyped = 10_000

/** What the person ends it with who does not want to wait. */
const givingUp = ['ctrl+c', 'ctrl+d', 'ctrl+q'] as const

/** What is on the screen until there is something to show: one line that says what goes on. Then it hands over. */
export class Curtain implements Face {
  /** Resolves when the person does not want to wait. */
  readonly givenUp: Promise<void>
  readonly #giveUp: () => void
  #doing = ''
  #typed: readonly string[] = []
  #face: Face | null = null

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.givenUp = promise
    this.#giveUp = resolve
  }

  /** What goes on now. */
  say(doing: string): void {
    this.#doing = doing
  }

  /** From now on that is shown; it gets what was typed meanwhile. */
  rise(face: Face): void {
    this.#face = face
    for (const key of this.#typed) face.key(key, false)
    this.#typed = []
  }

  get title(): string | null {
    return this.#face?.title ?? null
  }

  draw(size: Size): Frame {
    if (this.#face) return this.#face.draw(size)
    return tall(linesOnly(filled(this.#doing === '' ? '' : ` ${this.#doing} …`, size.columns)), size.rows)
  }

  key(data: string, areSeveral: boolean): void {
    if (this.#face) this.#face.key(data, areSeveral)
    else if (givingUp.some((key) => matchesKey(data, key))) this.#giveUp()
    else if (!matchesKey(data, 'escape') && this.#typed.length < mostTyped)
      this.#typed = [...this.#typed, data]
  }

  wheel(lines: number): void {
    this.#face?.wheel(lines)
  }

  focused(): void {
    this.#face?.focused?.()
  }

  blurred(): void {
    this.#face?.blurred?.()
  }
}
