import { CURSOR_MARKER, Editor } from '@earendil-works/pi-tui'

/** Marks the lower border, which text that somebody typed may look like. */
const mark = '\u0000'

/** The library's editor, lower where there is little room: it knows only heights of its own. */
export class BoundedEditor extends Editor {
  #above = 0
  #below = 0

  /** With at most so many lines of text between its borders; the list of completions comes below them. */
  drawn(columns: number, most: number): readonly string[] {
    const lines = this.render(columns)
    const end = lines.findIndex((line) => line.startsWith(mark))
    const cursor = lines.findIndex((line) => line.includes(CURSOR_MARKER))
    const first = Math.max(1, Math.min(cursor - Math.floor(most / 2), end - most))
    const last = Math.min(first + most, end)
    return [
      super.renderTopBorder(columns, this.#above + first - 1),
      ...lines.slice(first, last),
      super.renderBottomBorder(columns, this.#below + end - last),
      ...lines.slice(end + 1),
    ]
  }

  protected override renderTopBorder(columns: number, hidden: number): string {
    this.#above = hidden
    return super.renderTopBorder(columns, hidden)
  }

  protected override renderBottomBorder(columns: number, hidden: number): string {
    this.#below = hidden
    return mark + super.renderBottomBorder(columns, hidden)
  }
}
