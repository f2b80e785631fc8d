import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { shellLine } from '../src/cli/shell-line.ts'

export interface PtyProgram {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly columns: number
  readonly rows: number
}

/** A program in a pseudo-terminal, made by the `script` of util-linux: a native module would have to be built. Linux only. */
export class Pty {
  /** Of the program itself. */
  readonly pid: number
  readonly #child: ChildProcessWithoutNullStreams
  readonly #ended: Promise<unknown>
  #written = ''
  #hear: (piece: string) => void = () => {}

  /** Resolves right before the program takes the place of the shell that has set the terminal's size. */
  static async start({ command, cwd, env, columns, rows }: PtyProgram): Promise<Pty> {
    const line = `stty cols ${columns} rows ${rows}; printf 'pid %s;' $$; exec ${shellLine(command)}`
    const child = spawn('script', ['-qfec', line, '/dev/null'], {
      cwd,
      env: { ...env, SHELL: '/bin/sh', TERM: 'xterm-256color' },
    })
    // Who stops it while something is typed learns that from its end.
    child.stdin.on('error', () => {})
    const { promise, resolve, reject } = Promise.withResolvers<Pty>()
    let said = ''
    const listen = (piece: string): void => {
      said += piece
      const found = /pid (\d+);/.exec(said)
      if (!found) return
      child.stdout.off('data', listen)
      resolve(new Pty(child, Number(found[1]), said.slice(found.index + found[0].length)))
    }
    child.stdout.setEncoding('utf8').on('data', listen)
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`The terminal ended with ${code}: ${said}`)))
    return promise
  }

  private constructor(child: ChildProcessWithoutNullStreams, pid: number, written: string) {
    this.#child = child
    this.pid = pid
    this.#written = written
    this.#ended = new Promise((resolve) => child.on('exit', resolve))
    child.stdout.on('data', (piece: string) => {
      this.#written += piece
      this.#hear(piece)
    })
  }

  /** All that the program has written so far. */
  get written(): string {
    return this.#written
  }

  /** Told every piece that is written from now on, instead of whoever was told before. */
  set onWrite(hear: (piece: string) => void) {
    this.#hear = hear
  }

  type(data: string): void {
    this.#child.stdin.write(data)
  }

  /** Resolves as soon as what was written, from a place on, has all of that; rejects when it takes too long. */
  async writes(wanted: readonly (string | RegExp)[], from = 0, patience = 30_000): Promise<void> {
    const has = (): boolean => {
      const text = this.#written.slice(from)
      return wanted.every((each) => (typeof each === 'string' ? text.includes(each) : each.test(text)))
    }
    if (has()) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const complain = (what: string) => () =>
      reject(new Error(`The program ${what} ${wanted.join(', ')}:\n${this.#written.slice(-4000)}`))
    const timer = setTimeout(complain('does not write'), patience)
    void this.#ended.then(complain('ended before it wrote'))
    this.onWrite = () => {
      if (has()) resolve()
    }
    await promise.finally(() => {
      clearTimeout(timer)
      this.onWrite = () => {}
    })
  }

  /** Ends the program, which may take its time to give the terminal back. */
  async stop(): Promise<void> {
    const send = (signal: NodeJS.Signals): void => {
      try {
        process.kill(this.pid, signal)
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
      }
    }
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    send('SIGTERM')
    const hurry = setTimeout(() => send('SIGKILL'), 5_000)
    await this.#ended
    clearTimeout(hurry)
  }
}
