import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export interface TmuxOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly columns?: number
  readonly rows?: number
}

/** A real terminal: a tmux server of its own, with one window. It waits after an Esc as long as tmux does if nobody says else. */
export class Tmux {
  readonly #socket: string

  static start(command: string, { columns = 100, rows = 40, ...options }: TmuxOptions): Tmux {
    // tmux leaves its sockets behind: they go with the test's own directory. Their paths must stay short.
    const tmux = new Tmux(join(mkdtempSync(join(tmpdir(), 't')), 's'))
    const size = ['-x', String(columns), '-y', String(rows)]
    const run = `${command}; echo "ended with $?"; exec cat`
    execFileSync('tmux', ['-S', tmux.#socket, '-f', '/dev/null', 'new-session', '-d', ...size, run], options)
    return tmux
  }

  /** Somebody who sits at a terminal: keys go through it as from a keyboard, and not straight to the program. */
  static attach(to: Tmux, options: TmuxOptions): Tmux {
    const env = { ...options.env, TMUX: '', TERM: 'xterm-256color' }
    return Tmux.start(`tmux -S '${to.#socket}' attach`, { ...options, env })
  }

  private constructor(socket: string) {
    this.#socket = socket
  }

  /** Types a line and presses Enter. */
  type(text: string): void {
    this.write(text)
    this.press('Enter')
  }

  /** Types, without Enter. */
  write(text: string): void {
    this.#tmux('send-keys', '-l', text)
  }

  /** Pastes, as a terminal does that says where a paste begins and ends. */
  paste(text: string): void {
    execFileSync('tmux', ['-S', this.#socket, 'load-buffer', '-'], { input: text })
    this.#tmux('paste-buffer', '-p')
  }

  press(...keys: readonly string[]): void {
    this.#tmux('send-keys', ...keys)
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows))
  }

  /** Everything on the screen, and what has scrolled away. */
  screen(): string {
    return this.#tmux('capture-pane', '-p', '-J', '-S', '-1000')
  }

  /** The lines of the screen as they stand there. */
  lines(): readonly string[] {
    return this.#tmux('capture-pane', '-p').split('\n')
  }

  /** Whether a program has the whole screen, which goes when it ends. */
  get isAlternate(): boolean {
    return this.#tmux('display-message', '-p', '#{alternate_on}').trim() === '1'
  }

  /** Whether a program is told of the mouse, or has hidden the cursor: nothing that a shell wants. */
  get isLeftOdd(): boolean {
    return this.#tmux('display-message', '-p', '#{mouse_any_flag}#{cursor_flag}').trim() !== '01'
  }

  /** The screen, as soon as it shows that. */
  async shows(text: string | RegExp): Promise<string> {
    const deadline = performance.now() + 30_000
    for (;;) {
      const screen = this.screen()
      if (typeof text === 'string' ? screen.includes(text) : text.test(screen)) return screen
      if (performance.now() > deadline) throw new Error(`the terminal never showed ${text}:\n${screen}`)
      await wait(50)
    }
  }

  close(): void {
    this.#tmux('kill-server')
  }

  #tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-S', this.#socket, ...args], { encoding: 'utf8', stdio: 'pipe' })
  }
}
