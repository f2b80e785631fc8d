import {
  type Component,
  KeybindingsManager,
  setKeybindings,
  type Terminal,
  type TUI,
  TUI_KEYBINDINGS,
  TuiAltScreen,
  type TuiMouseEvent,
  type TuiMouseEventResult,
} from '@earendil-works/pi-tui'
import { plainLine } from '../../tree/plain-text.ts'
import { onFocus } from './focus.ts'
import type { Area, Frame, Size } from './frame.ts'
import { keysIn } from './key-chunks.ts'

// The only file that drives the terminal library: all else gives it lines to show and is given keys.

/** What is shown on a screen, and told what is done there. */
export interface Face {
  draw(size: Size): Frame
  /** Of the window, as long as there is something to call it. */
  readonly title?: string | null
  /** `areSeveral`: it came as one piece with others, since something holds back an Esc for a while. */
  key(data: string, areSeveral: boolean): void
  wheel(lines: number): void
  /** The window has come to the front. */
  focused?(): void
  /** Another one has. */
  blurred?(): void
}

export interface ScreenOptions {
  /** Stops the program until the person comes back to it; absent where nobody could. */
  stop?(): void
}

/** The title is put aside by the terminal, and taken back. */
const keepTitle = '\u001b[22;2t'
const giveTitleBack = '\u001b[23;2t'

/** Milliseconds from one frame to the next while only words come: a person does not see more, and a frame costs something. */
const frameTime = 33

/** The whole terminal, until it is closed: then it is as it was before. */
export class Screen {
  readonly #tui: TuiAltScreen
  readonly #terminal: Terminal
  readonly #stop: (() => void) | undefined
  #areas: readonly Area[] = []
  #title: string | null = null
  #isOpen = true
  #isAway = false
  #waiting: readonly (() => void)[] = []
  #drawnAt = Number.NEGATIVE_INFINITY
  #soon: NodeJS.Timeout | null = null

  static open(terminal: Terminal, face: Face, options: ScreenOptions = {}): Screen {
    return new Screen(terminal, face, options)
  }

  private constructor(terminal: Terminal, face: Face, { stop }: ScreenOptions) {
    // The library would take keys for scrolling and searching itself; here they are actions like all others.
    const none = Object.keys(TUI_KEYBINDINGS).filter((name) => name.startsWith('tui.altScreen.'))
    setKeybindings(
      new KeybindingsManager(TUI_KEYBINDINGS, {
        ...Object.fromEntries(none.map((name) => [name, []])),
        'tui.input.newLine': ['shift+enter', 'alt+enter', 'ctrl+enter', 'ctrl+j'],
      }),
    )
    this.#terminal = terminal
    this.#stop = stop
    onFocus(terminal, (isInFront) => (isInFront ? face.focused?.() : face.blurred?.()))
    this.#tui = new TuiAltScreen(terminal, true, undefined, { wheelScrollLines: 3 })
    const root: Component & { focused: boolean } = {
      focused: true,
      render: () => {
        const { lines, areas } = face.draw(this.size)
        this.#areas = areas
        this.#drawnAt = performance.now()
        this.#setTitle(face.title ?? null)
        // The library writes the frame when it has it.
        for (const goOn of this.#waiting) setImmediate(goOn)
        this.#waiting = []
        return [...lines]
      },
      handleInput: (data) => {
        const keys = keysIn(data)
        for (const key of keys) face.key(key, keys.length > 1)
      },
      handleMouse: (event) => this.#mouse(event, face),
      invalidate: () => {},
    }
    this.#tui.setLayoutRoot(root)
    this.#tui.setFocus(root)
    terminal.write(keepTitle)
    this.#tui.start()
  }

  get size(): Size {
    return { columns: Math.max(1, this.#terminal.columns), rows: Math.max(1, this.#terminal.rows) }
  }

  /** For parts of the library that want to know where they are. */
  get host(): TUI {
    return this.#tui
  }

  /** Draws again, soon: several wishes are one. */
  redraw(): void {
    if (this.#isOpen && !this.#isAway) this.#tui.requestRender()
  }

  /** Draws again, now: what somebody waits for is worth a frame of its own. */
  redrawNow(): void {
    if (this.#isOpen && !this.#isAway) this.#tui.renderNow()
  }

  /** As `redraw`, for what changes many times a second; whatever else is drawn meanwhile shows it, too. */
  redrawSoon(): void {
    if (this.#soon) return
    const early = Math.max(0, this.#drawnAt + frameTime - performance.now())
    this.#soon = setTimeout(() => {
      this.#soon = null
      // The library draws it in a moment: words that come until then do not want a frame of their own.
      this.#drawnAt = performance.now()
      this.redraw()
    }, early).unref()
  }

  /** Resolves when a frame has been drawn after this. */
  drawn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting = [...this.#waiting, resolve]
    this.redraw()
    return promise
  }

  /** Whether the terminal has a light background; undefined where it does not say. */
  async isLight(): Promise<boolean | undefined> {
    const colour = await this.#tui.queryTerminalBackgroundColor({ timeoutMs: 200 })
    return colour && (0.299 * colour.r + 0.587 * colour.g + 0.114 * colour.b) / 255 > 0.5
  }

  /** Gives the terminal back, stops the program, and takes the terminal again when the person comes back. */
  suspend(): void {
    if (!this.#isOpen || !this.#stop || this.#isAway) return
    this.#isAway = true
    this.#tui.stop({ preserveScreen: true })
    this.#stop()
    // Where nobody can stop it, it goes on at once.
    setTimeout(() => {
      this.#isAway = false
      if (this.#isOpen) this.#startAgain()
    }, 20)
  }

  /** Takes the terminal as if anew: somebody else has stopped the program, and the shell had it meanwhile. */
  retake(): void {
    if (!this.#isOpen || this.#isAway) return
    this.#tui.stop({ preserveScreen: true })
    this.#startAgain()
  }

  /** Takes in what the terminal still sends for keys that were pressed: it would come to the shell. */
  async drain(): Promise<void> {
    if (this.#isOpen && this.#terminal.kittyProtocolActive) await this.#terminal.drainInput(300, 50)
  }

  /** Gives the terminal back. It may be called at any time, and more than once. */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    try {
      this.#tui.stop({ preserveScreen: true })
      this.#terminal.write(giveTitleBack)
    } catch {
      // The terminal itself is gone.
    }
  }

  #startAgain(): void {
    // The shell may have called the window something else.
    this.#title = null
    this.#tui.start()
    // The library takes a wish from before it was stopped for one that it still has to see to.
    this.#tui.requestRender(true)
  }

  #setTitle(title: string | null): void {
    if (title === null || title === this.#title) return
    this.#title = title
    this.#terminal.setTitle(plainLine(title))
  }

  #mouse(event: TuiMouseEvent, face: Face): TuiMouseEventResult | undefined {
    if (event.type === 'wheel') {
      face.wheel(event.wheelDelta ?? 0)
      return { handled: true }
    }
    if (event.type !== 'click' || event.button !== 'left') return undefined
    const area = this.#areas.find(({ row, from, to }) => row === event.y && from <= event.x && event.x < to)
    area?.does()
    return area && { handled: true }
  }
}
