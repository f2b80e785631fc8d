import type { ActionName, Scope } from '../keys/actions.ts'
import { boxed } from '../screen/box.ts'
import type { Frame, Size } from '../screen/frame.ts'
import type { Tone } from '../screen/theme.ts'
import type { Ui } from '../ui.ts'
import type { Panel } from './panel.ts'

export interface ReadingOptions {
  readonly title: string
  readonly tone?: Tone
  /** In lines of at most so many cells. */
  lines(columns: number): readonly string[]
}

const widest = 84

/** Something to read, and to scroll where it is long. */
export class ReadingPanel implements Panel {
  readonly shape = 'box'
  readonly scopes: readonly Scope[] = ['reading']
  readonly #ui: Ui
  readonly #options: ReadingOptions
  #top = 0
  #rows = 1
  // Known when it is drawn.
  #last = Number.MAX_SAFE_INTEGER

  constructor(ui: Ui, options: ReadingOptions) {
    this.#ui = ui
    this.#options = options
  }

  act(name: ActionName): void {
    const by: Readonly<Partial<Record<ActionName, number>>> = {
      'reading.up': -1,
      'reading.down': 1,
      'reading.pageUp': -this.#rows,
      'reading.pageDown': this.#rows,
      'reading.first': -Number.MAX_SAFE_INTEGER,
      'reading.last': Number.MAX_SAFE_INTEGER,
    }
    if (name === 'reading.close') this.#ui.close(this)
    else this.wheel(by[name] ?? 0)
  }

  wheel(lines: number): void {
    // Never below the end, or the way back would begin far below it.
    this.#top = Math.max(0, Math.min(this.#top + lines, this.#last))
    this.#ui.redraw()
  }

  draw({ columns, rows }: Size): Frame {
    const { title, tone } = this.#options
    const { paint } = this.#ui.theme
    const width = Math.min(columns, widest)
    const all = this.#options.lines(width - 4)
    this.#rows = Math.max(1, rows - 2)
    this.#last = Math.max(0, all.length - this.#rows)
    this.#top = Math.min(this.#top, this.#last)
    const lines = all.slice(this.#top, this.#top + this.#rows)
    const foot = all.length > lines.length ? '↑ ↓ scroll · Esc closes' : 'Esc closes'
    return boxed({ lines, areas: [] }, width, { paint, title, foot, ...(tone && { tone }) })
  }
}
