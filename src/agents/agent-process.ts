import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { endProcess, startOf } from '../process-identity.ts'
import { BoughError } from '../tree/error.ts'

// A process of an agent goes: started behind the gate → recorded → let through → ended, with all that it started.
// If bough dies before it lets the process through, the gate reads end-of-file and the agent never runs. The gate's own
// pid becomes the agent's, and its mark: what the agent starts in groups of its own is found by that.

const gate = 'read -r go && export BOUGH_AGENT=$$ && exec "$0" "$@"'

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** For a person: how a process ended. */
export const exitWords = ({ code, signal }: Exit): string =>
  signal === null ? `ended with code ${code}` : `was ended by ${signal}`

/** How much of what it wrote to stderr is kept, from the end. */
const keptCharacters = 4_000

/** How long it gets to end by itself when it has no more input. */
const grace = 2_000

export class AgentProcess {
  readonly pid: number
  /** May be written to at once: it gets it when it has been let through. */
  readonly stdin: Writable
  readonly stdout: Readable
  readonly exited: Promise<Exit>
  /** Null as long as it runs. */
  exit: Exit | null = null
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #started: string
  readonly #input = new PassThrough()
  #stderr = ''

  /** Throws where it cannot be started. */
  static start({ command, args, cwd, env }: Program): AgentProcess {
    const child = spawn('sh', ['-c', gate, command, ...args], {
      cwd,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.on('error', () => {})
    if (child.pid === undefined)
      throw new BoughError('agent_failed', `${command} cannot be started in ${cwd}.`)
    return new AgentProcess(child, child.pid)
  }

  private constructor(child: ChildProcessByStdio<Writable, Readable, Readable>, pid: number) {
    this.pid = pid
    this.#child = child
    this.#started = startOf(pid) ?? ''
    this.stdin = this.#input
    this.stdout = child.stdout
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.exit = { code, signal }
        resolve(this.exit)
      })
    })
    // One that ended takes no more input; its exit tells so.
    child.stdin.on('error', () => {})
    child.stderr.setEncoding('utf8')
    child.stderr.on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-keptCharacters)
    })
  }

  /** The last that it wrote to stderr. */
  get lastWords(): string {
    return this.#stderr.trim()
  }

  /** Lets it begin. */
  letThrough(): void {
    this.#child.stdin.write('go\n')
    this.#input.pipe(this.#child.stdin)
  }

  /** Resolves when it is gone, with all that it started. */
  async end(): Promise<void> {
    this.#input.end()
    if (!this.#input.readableFlowing) this.#child.stdin.end()
    const timer = new AbortController()
    await Promise.race([this.exited, pause(grace, undefined, { signal: timer.signal }).catch(() => {})])
    timer.abort()
    await endProcess({ pid: this.pid, started: this.#started })
    await this.exited
  }
}
