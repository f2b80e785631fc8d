import { type ListStep, stepFrom } from './scrolled-list.ts'

/** Lines to read, of which some are shown. */
export class ScrolledText {
  #top = 0
  #rows = 1
  // Known when they are drawn.
  #last = Number.MAX_SAFE_INTEGER

  step(way: ListStep): void {
    this.#top = stepFrom(this.#top, way, this.#last + 1, this.#rows)
  }

  /** Never below the end, or the way back would begin far below it. */
  moveBy(lines: number): void {
    this.#top = Math.max(0, Math.min(this.#top + lines, this.#last))
  }

  /** Those that are shown where so many have room, and how many are below them. */
  shown(all: readonly string[], rows: number): { readonly lines: readonly string[]; readonly below: number } {
    this.#rows = Math.max(1, rows)
    this.#last = Math.max(0, all.length - this.#rows)
    this.#top = Math.min(this.#top, this.#last)
    return { lines: all.slice(this.#top, this.#top + this.#rows), below: this.#last - this.#top }
  }
}
