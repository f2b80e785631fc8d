import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startOf } from '../../../src/process-identity.ts'
import { Tmux } from '../tmux.ts'
import { until } from '../until.ts'
import type { SoakGround } from './ground.ts'
import { type Complain, type KeptProcess, tracesIn } from './kept-process.ts'

interface KeptTerminalOptions {
  readonly name: string
  readonly growsOld: boolean
  readonly ground: SoakGround
  readonly complain: Complain
}

/** The terminal UI, in a terminal of its own. */
export class KeptTerminal implements KeptProcess {
  starts = 0
  readonly #options: KeptTerminalOptions
  #tmux: Tmux | null = null
  #process: { readonly pid: number; readonly started: string } | null = null
  #ready = Promise.resolve(false)
  #isExpected = false

  constructor(options: KeptTerminalOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  get growsOld(): boolean {
    return this.#options.growsOld
  }

  get pid(): number | null {
    if (this.#process === null) return null
    const { pid, started } = this.#process
    return startOf(pid) === started ? pid : null
  }

  /** What a person sees and types into; null while it does not run. */
  get terminal(): Tmux | null {
    return this.pid === null ? null : this.#tmux
  }

  start(): void {
    const { ground } = this.#options
    this.starts++
    this.#process = null
    this.#isExpected = false
    const program = `sh -c 'echo $$ > "${this.#pidFile}"; exec "${process.execPath}" "${ground.launcher}"'`
    const tmux = Tmux.start(program, { cwd: ground.project, env: ground.env, columns: 110, rows: 40 })
    this.#tmux = tmux
    this.#ready = this.#whenReady(tmux).catch((error) => {
      this.#options.complain(`${this.name} does not start: ${error}`)
      return false
    })
  }

  ready(): Promise<boolean> {
    return this.#ready
  }

  /** Resolves with false when it has gone before. */
  async #whenReady(tmux: Tmux): Promise<boolean> {
    const isOver = () => this.#tmux !== tmux || this.#isExpected
    await until(`${this.name} to start`, () => isOver() || this.#readPid() > 0)
    if (isOver()) return false
    const pid = this.#readPid()
    this.#process = { pid, started: startOf(pid) ?? '' }
    await until(
      `${this.name} to show itself`,
      () => isOver() || this.pid === null || tmux.isAlternate,
      60_000,
    )
    return !isOver() && this.pid !== null
  }

  signal(signal: NodeJS.Signals): void {
    if (this.pid !== null) process.kill(this.pid, signal)
  }

  /** Complains when it has ended by itself, and then starts it again. */
  async look(): Promise<void> {
    if (this.#process === null || this.pid !== null || this.#isExpected || !this.#tmux) return
    const screen = this.#tmux.screen().trim()
    const isQuit = /^ended with 0$/m.test(screen)
    // It was about to go to a server that it had found, and that was killed in this very moment.
    const hadNoServer = /^.*No server answers at .*\nended with 1$/m.test(screen)
    if (!isQuit && !hadNoServer)
      this.#options.complain(`${this.name} ended by itself:\n${screen.slice(-2_000)}`)
    this.#close()
    this.start()
    await this.ready()
  }

  async kill(): Promise<void> {
    this.#isExpected = true
    this.signal('SIGKILL')
    await until(`${this.name} to be gone`, () => this.pid === null)
    this.#close()
  }

  async end(): Promise<void> {
    const tmux = this.#tmux
    if (!tmux) return
    this.#isExpected = true
    // Whatever is open there: a terminal that is closed tells the program so, and it has to go then.
    this.signal('SIGHUP')
    await until(`${this.name} to end`, () => this.pid === null, 30_000)
    for (const trace of tracesIn(tmux.screen())) this.#options.complain(`${this.name} printed ${trace}`)
    this.#close()
  }

  #close(): void {
    const tmux = this.#tmux
    this.#tmux = null
    tmux?.close()
    rmSync(this.#pidFile, { force: true })
  }

  #readPid(): number {
    return existsSync(this.#pidFile) ? Number(readFileSync(this.#pidFile, 'utf8')) : 0
  }

  get #pidFile(): string {
    return join(this.#options.ground.temporary, `${this.name.replaceAll(' ', '-')}-${this.starts}.pid`)
  }
}
