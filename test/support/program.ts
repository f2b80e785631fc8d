import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Home } from '../../src/home.ts'
import { until } from './until.ts'

/** A program of `test/workers` in a process of its own. It reports in lines of JSON, and ends with its test at the latest. */
export class Program<Report> {
  readonly reports: Report[] = []
  readonly pid: number
  readonly #name: string
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  #complaints = ''
  #over = false

  static start<Report>(name: string, home: Home, args: readonly string[] = []): Program<Report> {
    const path = fileURLToPath(new URL(`../workers/${name}.ts`, import.meta.url))
    const child = spawn(process.execPath, [path, ...args], {
      env: { ...process.env, BOUGH_HOME: home.data },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const program = new Program<Report>(name, child)
    onTestFinished(() => program.kill())
    return program
  }

  private constructor(name: string, child: ChildProcessByStdio<Writable, Readable, Readable>) {
    if (child.pid === undefined) throw new Error(`${name} could not be started.`)
    this.#name = name
    this.pid = child.pid
    this.#child = child
    // Orders to a process that is gone come back as an error of the pipe: its exit tells enough.
    child.stdin.on('error', () => {})
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaints += text
    })
    // Lines are short enough for the system to take each of them whole or not at all.
    createInterface({ input: child.stdout }).on('line', (line) => this.reports.push(JSON.parse(line)))
    child.once('close', () => {
      this.#over = true
    })
  }

  tell(order: unknown): void {
    this.#child.stdin.write(`${JSON.stringify(order)}\n`)
  }

  /** The first report of a kind that fits, whether it came already or is still to come. */
  async hears<Wanted extends Report>(
    what: string,
    fits: (report: Report) => report is Wanted,
    limit?: number,
  ): Promise<Wanted> {
    return until(
      `${this.#name} ${this.pid} to report ${what}`,
      () => this.reports.find(fits) ?? this.#isOver(),
      limit,
    )
  }

  /** What it said on stderr; a program that has nothing to complain about says nothing. */
  get complaints(): string {
    return this.#complaints
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Resolves when it is gone and every report that it made has been read. */
  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.ended()
  }

  /** Resolves when it has ended by itself. */
  async ended(limit?: number): Promise<void> {
    await until(`${this.#name} ${this.pid} to end`, () => this.#over, limit)
  }

  #isOver(): null {
    if (this.#over) throw new Error(`${this.#name} ${this.pid} ended too early. It said: ${this.#complaints}`)
    return null
  }
}
