import type { ActionName, Scope } from '../keys/actions.ts'
import { boxed } from '../screen/box.ts'
import type { Frame, Size } from '../screen/frame.ts'
import type { Tone } from '../screen/theme.ts'
import type { Ui } from '../ui.ts'
import type { Panel } from './panel.ts'
import type { ListStep } from './scrolled-list.ts'
import { ScrolledText } from './scrolled-text.ts'

export interface ReadingOptions {
  readonly title: string
  readonly tone?: Tone
  /** In lines of at most so many cells. */
  lines(columns: number): readonly string[]
}

const widest = 84

const steps: Readonly<Partial<Record<ActionName, ListStep>>> = {
  'reading.up': 'up',
  'reading.down': 'down',
  'reading.pageUp': 'pageUp',
  'reading.pageDown': 'pageDown',
  'reading.first': 'first',
  'reading.last': 'last',
}

/** Something to read, and to scroll where it is long. */
export class ReadingPanel implements Panel {
  readonly shape = 'box'
  readonly scopes: readonly Scope[] = ['reading']
  readonly #ui: Ui
  readonly #options: ReadingOptions
  readonly #text = new ScrolledText()

  constructor(ui: Ui, options: ReadingOptions) {
    this.#ui = ui
    this.#options = options
  }

  act(name: ActionName): void {
    const way = steps[name]
    if (name === 'reading.close') this.#ui.close(this)
    else if (way) this.#text.step(way)
    this.#ui.redraw()
  }

  wheel(lines: number): void {
    this.#text.moveBy(lines)
    this.#ui.redraw()
  }

  draw({ columns, rows }: Size): Frame {
    const { title, tone } = this.#options
    const { paint } = this.#ui.theme
    const width = Math.min(columns, widest)
    const all = this.#options.lines(width - 4)
    const { lines } = this.#text.shown(all, rows - 2)
    const foot = all.length > lines.length ? '↑ ↓ scroll · Esc closes' : 'Esc closes'
    return boxed({ lines, areas: [] }, width, { paint, title, foot, ...(tone && { tone }) })
  }
}
