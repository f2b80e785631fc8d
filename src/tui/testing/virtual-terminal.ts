import type { Terminal } from '@earendil-works/pi-tui'
import xterm from '@xterm/headless'

/** A terminal without a window: what is written to it can be read as a person would see it. */
export class VirtualTerminal implements Terminal {
  readonly kittyProtocolActive = false
  readonly #xterm: xterm.Terminal
  #input: ((data: string) => void) | null = null
  #resized: (() => void) | null = null
  /** Everything that was written, for what is not on the screen: modes, titles. */
  written = ''
  title = ''

  constructor(columns = 80, rows = 24) {
    this.#xterm = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 0 })
  }

  get columns(): number {
    return this.#xterm.cols
  }

  get rows(): number {
    return this.#xterm.rows
  }

  /** Somebody is reading what is typed. */
  get isStarted(): boolean {
    return this.#input !== null
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.#input = onInput
    this.#resized = onResize
  }

  stop(): void {
    this.#input = null
    this.#resized = null
  }

  async drainInput(): Promise<void> {}

  write(data: string): void {
    this.written += data
    this.#xterm.write(data)
  }

  /** What a person types, byte for byte. */
  type(data: string): void {
    this.#input?.(data)
  }

  resize(columns: number, rows: number): void {
    this.#xterm.resize(columns, rows)
    this.#resized?.()
  }

  /** The screen as text; spaces at the ends of lines are left out. */
  async lines(): Promise<readonly string[]> {
    await new Promise<void>((resolve) => this.#xterm.write('', resolve))
    const { active } = this.#xterm.buffer
    const lineAt = (row: number): string => active.getLine(row)?.translateToString() ?? ''
    return Array.from({ length: this.rows }, (_, row) => lineAt(row).trimEnd())
  }

  moveBy(): void {}
  hideCursor(): void {}
  showCursor(): void {}
  clearLine(): void {}
  clearFromCursor(): void {}
  clearScreen(): void {}

  setTitle(title: string): void {
    this.title = title
  }

  setProgress(): void {}
}
