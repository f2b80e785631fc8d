import { plainText } from '../../tree/plain-text.ts'
import type { ActionName, Scope } from '../keys/actions.ts'
import { boxed } from '../screen/box.ts'
import type { Frame, Size } from '../screen/frame.ts'
import { wrapped } from '../screen/wrap.ts'
import type { Ui } from '../ui.ts'
import { buttonRow } from './button-row.ts'
import { listSteps } from './list-panel.ts'
import type { Panel } from './panel.ts'
import { ScrolledText } from './scrolled-text.ts'

export interface ConfirmOptions {
  readonly title: string
  /** Above the list: what is asked. */
  readonly question: string
  /** What would be done, in lines of at most so many cells. */
  lines(columns: number): readonly string[]
  /** On the button. */
  readonly yes: string
  /** It opened by itself: a key that was meant for the composer must not choose. Milliseconds. */
  readonly waitsMs?: number
  does(): void
}

const widest = 76

/** Asks once more before something is done; what that would be can be read first. */
export class ConfirmPanel implements Panel {
  readonly shape = 'box'
  readonly scopes: readonly Scope[] = ['list']
  readonly #ui: Ui
  readonly #options: ConfirmOptions
  readonly #text = new ScrolledText()
  readonly #openedAt: number
  /** Thousands of files are not drawn anew with every frame. */
  #drawn: { readonly stamp: string; readonly lines: readonly string[] } | null = null

  constructor(ui: Ui, options: ConfirmOptions) {
    this.#ui = ui
    this.#options = options
    this.#openedAt = ui.now()
  }

  act(name: ActionName): void {
    const way = listSteps[name]
    if (name === 'list.close') this.#ui.close(this)
    else if (name === 'list.choose') this.#choose()
    else if (way) this.#text.step(way)
    this.#ui.redraw()
  }

  wheel(lines: number): void {
    this.#text.moveBy(lines)
    this.#ui.redraw()
  }

  draw({ columns, rows }: Size): Frame {
    const { title, question, yes } = this.#options
    const { paint } = this.#ui.theme
    const width = Math.min(columns, widest)
    const room = width - 4
    const asked = wrapped(plainText(question), room).map((line) => paint('strong', line))
    const all = this.#linesFor(room)
    const { lines: shown, below } = this.#text.shown(all, Math.min(all.length, rows - asked.length - 4))
    const buttons = buttonRow(paint, [
      { label: yes, isMain: true, does: () => this.#choose() },
      { label: 'Not now', isMain: false, does: () => this.#ui.close(this) },
    ])
    const lines = [...asked, ...shown]
    lines.push(paint('dim', below > 0 ? `… ${below} more below (↓)` : ''))
    const areas = buttons.areas.map((area) => ({ ...area, row: lines.length }))
    const foot = width < 60 ? 'Enter does it · Esc back' : 'Enter does it · ↑ ↓ scroll · Esc back'
    return boxed({ lines: [...lines, ...buttons.lines], areas }, width, {
      paint,
      title,
      foot,
      tone: 'warning',
    })
  }

  #linesFor(columns: number): readonly string[] {
    const stamp = `${columns} ${this.#ui.theme.name}`
    if (this.#drawn?.stamp !== stamp) this.#drawn = { stamp, lines: this.#options.lines(columns) }
    return this.#drawn.lines
  }

  #choose(): void {
    if (this.#ui.now() - this.#openedAt < (this.#options.waitsMs ?? 0)) return
    this.#ui.close(this)
    this.#options.does()
  }
}
