import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** A real terminal: a tmux server of its own, with one window. */
export class Tmux {
  readonly #socket: string

  static start(command: string, options: { cwd: string; env: NodeJS.ProcessEnv }): Tmux {
    // tmux leaves its sockets behind: they go with the test's own directory. Their paths must stay short.
    const tmux = new Tmux(join(mkdtempSync(join(tmpdir(), 't')), 's'))
    const size = ['-x', '100', '-y', '40']
    const run = `${command}; echo "ended with $?"; exec cat`
    execFileSync('tmux', ['-S', tmux.#socket, '-f', '/dev/null', 'new-session', '-d', ...size, run], options)
    return tmux
  }

  private constructor(socket: string) {
    this.#socket = socket
  }

  /** Types a line and presses Enter. */
  type(text: string): void {
    this.#tmux('send-keys', '-l', text)
    this.press('Enter')
  }

  /** Pastes, as a terminal does that says where a paste begins and ends. */
  paste(text: string): void {
    this.#tmux('set-buffer', text)
    this.#tmux('paste-buffer', '-p')
  }

  press(key: string): void {
    this.#tmux('send-keys', key)
  }

  /** Everything on the screen, and what has scrolled away. */
  screen(): string {
    return this.#tmux('capture-pane', '-p', '-J', '-S', '-1000')
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
    return execFileSync('tmux', ['-S', this.#socket, ...args], { encoding: 'utf8' })
  }
}
