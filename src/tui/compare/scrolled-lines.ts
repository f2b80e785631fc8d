/** What stands at the top: a line of a thing. */
export interface ScrollPlace {
  readonly item: number
  readonly line: number
}

export const start: ScrollPlace = { item: 0, line: 0 }

/** Things as lines that scroll. Only those are drawn that somebody looks at, and once: there may be thousands. */
export class ScrolledLines<T> {
  readonly #items: readonly T[]
  readonly #draw: (item: T) => readonly string[]
  readonly #drawn: (readonly string[])[] = []
  #place: ScrollPlace

  constructor(items: readonly T[], draw: (item: T) => readonly string[], place: ScrollPlace = start) {
    this.#items = items
    this.#draw = draw
    this.#place = place
  }

  get place(): ScrollPlace {
    return this.#place
  }

  toItem(item: number): void {
    this.#place = { item, line: 0 }
  }

  toEnd(): void {
    this.toItem(this.#items.length)
  }

  /** So many lines down, or up; not above the beginning. */
  moveBy(lines: number): void {
    let item = Math.min(this.#place.item, this.#items.length)
    let line = Math.min(this.#place.line, this.#linesOf(item).length) + lines
    while (line < 0 && item > 0) {
      item -= 1
      line += this.#linesOf(item).length
    }
    while (item < this.#items.length && line >= this.#linesOf(item).length) {
      line -= this.#linesOf(item).length
      item += 1
    }
    this.#place = { item, line: Math.max(0, line) }
  }

  /** So many lines, or all where there are fewer. At the end the last ones stay in sight. */
  draw(rows: number): readonly string[] {
    const lines = this.#from(rows)
    if (lines.length === rows) return lines
    this.moveBy(lines.length - rows)
    return this.#from(rows)
  }

  #from(rows: number): readonly string[] {
    const { item: first, line } = this.#place
    const lines = this.#linesOf(first).slice(line)
    for (let item = first + 1; item < this.#items.length && lines.length < rows; item++)
      lines.push(...this.#linesOf(item))
    return lines.slice(0, rows)
  }

  #linesOf(i: number): readonly string[] {
    const item = this.#items[i]
    if (item === undefined) return []
    const drawn = this.#drawn[i] ?? this.#draw(item)
    this.#drawn[i] = drawn
    return drawn
  }
}
