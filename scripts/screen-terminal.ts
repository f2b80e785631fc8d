import { setTimeout as pause } from 'node:timers/promises'
import xterm from '@xterm/headless'
import { Pty, type PtyProgram } from './pty.ts'
import type { Cell, CellStyle } from './svg-screen.ts'

const patience = 20_000

/** What a terminal shows text in that has no colour: `#rrggbb`. */
export interface OwnColours {
  readonly ink: string
  readonly ground: string
}

/** A program on a terminal without a window, which answers as terminals do, and whose cells can be read. */
export class ScreenTerminal {
  readonly #pty: Pty
  readonly #xterm: xterm.Terminal
  readonly #own: OwnColours

  static async start(program: PtyProgram, own: OwnColours): Promise<ScreenTerminal> {
    const { columns: cols, rows } = program
    const screen = new xterm.Terminal({ cols, rows, allowProposedApi: true, scrollback: 0 })
    const pty = await Pty.start(program)
    screen.onData((answer) => pty.type(answer))
    screen.parser.registerOscHandler(11, (asked) => {
      if (asked === '?') pty.type(`\u001b]11;rgb:${own.ground.match(/\w\w/g)?.join('/')}\u0007`)
      return true
    })
    screen.write(pty.written)
    pty.onWrite = (piece) => screen.write(piece)
    return new ScreenTerminal(pty, screen, own)
  }

  private constructor(pty: Pty, screen: xterm.Terminal, own: OwnColours) {
    this.#pty = pty
    this.#xterm = screen
    this.#own = own
  }

  type(data: string): void {
    this.#pty.type(data)
  }

  /** Resolves when the screen shows that, and has stood still for a moment. */
  async shows(wanted: RegExp): Promise<void> {
    const deadline = performance.now() + patience
    let before = ''
    for (;;) {
      const now = await this.#text()
      if (wanted.test(now) && now === before) return
      if (performance.now() > deadline) throw new Error(`The screen never showed ${wanted}:\n${now}`)
      before = now
      await pause(150)
    }
  }

  async cells(): Promise<readonly (readonly Cell[])[]> {
    await this.#isDrawn()
    return this.#lines().map((line) =>
      Array.from({ length: this.#xterm.cols }, (_, column) => cellOf(line?.getCell(column), this.#own)),
    )
  }

  async stop(): Promise<void> {
    await this.#pty.stop()
    this.#xterm.dispose()
  }

  async #text(): Promise<string> {
    await this.#isDrawn()
    return this.#lines()
      .map((line) => line?.translateToString(true) ?? '')
      .join('\n')
  }

  #isDrawn(): Promise<void> {
    return new Promise((resolve) => this.#xterm.write('', resolve))
  }

  #lines(): readonly (xterm.IBufferLine | undefined)[] {
    const { active } = this.#xterm.buffer
    return Array.from({ length: this.#xterm.rows }, (_, row) => active.getLine(row))
  }
}

const empty: CellStyle = {
  ink: null,
  ground: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  struck: false,
}

function cellOf(cell: xterm.IBufferCell | undefined, own: OwnColours): Cell {
  if (!cell) return { text: '', width: 1, style: empty }
  const ink = cell.isFgDefault() ? null : colourOf(cell.getFgColor(), cell.isFgRGB())
  const ground = cell.isBgDefault() ? null : colourOf(cell.getBgColor(), cell.isBgRGB())
  const isTurned = cell.isInverse() !== 0
  return {
    text: cell.getChars(),
    width: cell.getWidth(),
    style: {
      ink: isTurned ? (ground ?? own.ground) : ink,
      ground: isTurned ? (ink ?? own.ink) : ground,
      bold: cell.isBold() !== 0,
      dim: cell.isDim() !== 0,
      italic: cell.isItalic() !== 0,
      underline: cell.isUnderline() !== 0,
      struck: cell.isStrikethrough() !== 0,
    },
  }
}

// The sixteen colours that every terminal has its own idea of; then a cube of 6 × 6 × 6, then greys.
const named =
  '#000000 #cd3131 #0dbc79 #e5e510 #2472c8 #bc3fbc #11a8cd #e5e5e5 #666666 #f14c4c #23d18b #f5f543 #3b8eea #d670d6 #29b8db #ffffff'.split(
    ' ',
  )

function colourOf(value: number, isWhole: boolean): string {
  if (isWhole) return `#${value.toString(16).padStart(6, '0')}`
  if (value < 16) return named[value] ?? '#000000'
  const step = (level: number): number => (level === 0 ? 0 : 55 + 40 * level)
  const cube = value - 16
  const parts =
    value < 232
      ? [step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6)]
      : [1, 1, 1].map(() => 8 + 10 * (value - 232))
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}
