import { plainText } from '../../tree/plain-text.ts'
import type { ActionName, Scope } from '../keys/actions.ts'
import type { Panel } from '../panels/panel.ts'
import { boxed } from '../screen/box.ts'
import { emptyFrame, type Frame, type Size } from '../screen/frame.ts'
import { wrapped } from '../screen/wrap.ts'
import type { Ui } from '../ui.ts'

/** Most forks are made before anybody could read this: it is shown after so many milliseconds. */
const patience = 150

/** So much of what a set-up command has printed is kept. */
const longest = 20_000
const shownLines = 8
const widest = 76

/** Shows that a fork is being made, and what its set-up command prints. It takes all keys: nothing is done twice. */
export class ProgressPanel implements Panel {
  readonly shape = 'box'
  readonly scopes: readonly Scope[] = ['form']
  readonly #ui: Ui
  readonly #giveUp: () => void
  readonly #timer: NodeJS.Timeout
  #isShown = false
  #isGivenUp = false
  #printed = ''

  constructor(ui: Ui, giveUp: () => void) {
    this.#ui = ui
    this.#giveUp = giveUp
    this.#timer = setTimeout(() => this.#show(), patience)
  }

  print(text: string): void {
    this.#printed = (this.#printed + text).slice(-longest)
    this.#show()
  }

  act(name: ActionName): void {
    if (name !== 'form.close' || this.#isGivenUp) return
    this.#isGivenUp = true
    this.#giveUp()
    this.#show()
  }

  closed(): void {
    clearTimeout(this.#timer)
  }

  draw({ columns, rows }: Size): Frame {
    if (!this.#isShown) return emptyFrame
    const { paint } = this.#ui.theme
    const width = Math.min(columns, widest)
    const printed = this.#printed === '' ? [] : lastLines(this.#printed, width - 4)
    const words = this.#isGivenUp ? 'Giving it up, unless it is too late …' : 'Making the fork …'
    const room = Math.max(0, Math.min(shownLines, rows - 3))
    const lines = [words, ...(room > 0 ? printed.slice(-room) : []).map((line) => paint('dim', line))]
    const foot = this.#isGivenUp ? '' : 'Esc gives it up'
    return boxed({ lines, areas: [] }, width, { paint, title: 'Fork session', foot })
  }

  #show(): void {
    this.#isShown = true
    this.#ui.redraw()
  }
}

// A bar that a command draws over and over, by carriage returns, is only its last state.
function lastLines(printed: string, columns: number): readonly string[] {
  const lines = printed
    .replaceAll('\r\n', '\n')
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd().split('\r').at(-1) ?? '')
  return lines.slice(-shownLines).flatMap((line) => wrapped(plainText(line), columns))
}
