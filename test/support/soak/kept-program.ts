import { type ChildProcess, spawn } from 'node:child_process'
import type { SoakGround } from './ground.ts'
import { type Complain, type KeptProcess, tracesIn } from './kept-process.ts'

export interface KeptProgramOptions {
  readonly name: string
  readonly growsOld: boolean
  readonly ground: SoakGround
  readonly args: readonly string[]
  /** What it prints when it can be used. */
  readonly saysReady: string
  readonly complain: Complain
}

/** A program without a terminal. That it ends by itself is a fault, and so is a stack trace. */
export class KeptProgram implements KeptProcess {
  starts = 0
  readonly #options: KeptProgramOptions
  #run: Run | null = null

  constructor(options: KeptProgramOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  get growsOld(): boolean {
    return this.#options.growsOld
  }

  get pid(): number | null {
    return this.#run?.child.pid ?? null
  }

  /** All that this run of it has printed. */
  get printed(): string {
    return this.#run?.printed ?? ''
  }

  start(): void {
    const { ground, args, saysReady, complain, name } = this.#options
    this.starts++
    const run = startRun(ground, args, saysReady)
    this.#run = run
    void run.gone.then(({ code, signal }) => {
      if (this.#run === run) this.#run = null
      if (!run.isExpected) complain(`${name} ended by itself (${signal ?? code}): ${run.printed.slice(-500)}`)
      else if (signal === null && code !== 0) complain(`${name} was ended, and said ${code}: ${run.printed}`)
      for (const trace of tracesIn(run.complaints)) complain(`${name} printed ${trace}`)
    })
  }

  ready(): Promise<boolean> {
    return this.#run?.ready ?? Promise.resolve(false)
  }

  signal(signal: NodeJS.Signals): void {
    this.#run?.child.kill(signal)
  }

  kill(): Promise<void> {
    return this.#endBy('SIGKILL')
  }

  end(): Promise<void> {
    return this.#endBy('SIGINT')
  }

  async #endBy(signal: NodeJS.Signals): Promise<void> {
    const run = this.#run
    if (!run) return
    run.isExpected = true
    run.child.kill(signal)
    await run.gone
  }
}

/** One life of a program. */
interface Run {
  readonly child: ChildProcess
  readonly ready: Promise<boolean>
  readonly gone: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  isExpected: boolean
  printed: string
  complaints: string
}

/** How much of what it printed is kept, from the end. */
const keptCharacters = 20_000

function startRun({ launcher, project, env }: SoakGround, args: readonly string[], saysReady: string): Run {
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ready = Promise.withResolvers<boolean>()
  const gone = Promise.withResolvers<Awaited<Run['gone']>>()
  const run: Run = {
    child,
    ready: ready.promise,
    gone: gone.promise,
    isExpected: false,
    printed: '',
    complaints: '',
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    run.printed = (run.printed + text).slice(-keptCharacters)
    if (run.printed.includes(saysReady)) ready.resolve(true)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    run.complaints = (run.complaints + text).slice(-keptCharacters)
  })
  child.once('close', (code, signal) => {
    ready.resolve(false)
    gone.resolve({ code, signal })
  })
  return run
}
