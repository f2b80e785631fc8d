import { type ChildProcess, spawn } from 'node:child_process'
import type { Store } from '../../../../src/store/store.ts'
import { type SessionID, shortID } from '../../../../src/tree/ids.ts'
import { anyOf, anyRun } from '../../comeback-acts.ts'
import type { SoakGround } from '../ground.ts'
import { tracesIn } from '../kept-process.ts'
import { anyPrompt } from '../sayings.ts'
import type { Act, Person, Surroundings } from './person.ts'

/** Milliseconds that a command may take at most: each waits for a turn, and a turn for an approval. */
const longest = 300_000

/** Somebody who types commands, and sometimes kills one. */
export class OnCommandLine implements Person {
  readonly name = 'on the command line'
  readonly #around: Surroundings
  readonly #ground: SoakGround
  readonly #store: Store
  readonly #running = new Set<ChildProcess>()

  constructor(ground: SoakGround, store: Store, around: Surroundings) {
    this.#ground = ground
    this.#store = store
    this.#around = around
  }

  readonly acts: readonly Act[] = [
    this.#act(1, 'new', () => ['new']),
    this.#act(6, 'send', async () => ['send', await this.#session(), this.#prompt()]),
    this.#act(3, 'fork', async () => ['fork', await this.#session(), '--files', this.#mode(), '--yes']),
    this.#act(1, 'fork with a prompt', async () => ['fork', await this.#session(), '--prompt', 'words 9']),
    this.#act(3, 'run', async () => [
      'run',
      await this.#session(),
      '--background',
      anyRun(this.#around.random),
    ]),
    this.#act(1, 'ls', () => ['ls']),
    this.#act(1, 'tree', () => ['tree']),
    this.#act(1, 'log', async () => ['log', await this.#session()]),
    this.#act(1, 'runs', () => ['runs']),
    this.#act(1, 'updates', () => ['updates']),
    this.#act(1, 'exit', async () => ['exit', await this.#fork(), '--report', 'done with it']),
    this.#act(1, 'remind', async () => ['remind', await this.#session(), 'in 1 minute', 'words 2']),
    this.#act(1, 'routine ls', () => ['routine', 'ls']),
    this.#act(2, 'approve', () => this.#approval()),
    this.#act(1, 'export', async () => ['export', await this.#session()]),
    this.#act(1, 'gc', () => ['gc']),
    this.#act(1, 'rm', async () => ['rm', '--yes', await this.#leaf()]),
  ]

  /** Ends what still runs. */
  stop(): void {
    for (const child of this.#running) child.kill('SIGKILL')
  }

  #act(often: number, name: string, args: () => readonly string[] | Promise<readonly string[]>): Act {
    return { often, name, run: async () => this.#run(await args()) }
  }

  async #run(args: readonly string[]): Promise<void> {
    const { random, complain } = this.#around
    const { launcher, project: cwd, env } = this.#ground
    const child = spawn(process.execPath, [launcher, ...args], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#running.add(child)
    let complaints = ''
    child.stdout.resume()
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text
    })
    const isKilled = random() < 0.15
    const timer = setTimeout(() => child.kill('SIGKILL'), isKilled ? random() * 3_000 : longest)
    const [code, signal] = await new Promise<readonly [number | null, NodeJS.Signals | null]>((ended) =>
      child.once('close', (...how) => ended(how)),
    )
    clearTimeout(timer)
    this.#running.delete(child)
    const line = `bough ${args.join(' ')}`
    if (signal !== null && !isKilled) complain(`${line} was ended by ${signal}: ${complaints}`)
    if (code === 2) complain(`${line} was wrong: ${complaints}`)
    if (/\(unexpected;/.test(complaints) || tracesIn(complaints).length > 0)
      complain(`${line} printed ${complaints}`)
  }

  #prompt(): string {
    return anyPrompt(this.#around.random, this.#around.said)
  }

  #mode(): string {
    return anyOf(this.#around.random, ['auto', 'same', 'worktree', 'clean'])
  }

  async #session(): Promise<string> {
    return this.#short(await this.#store.sessions.list({ limit: 30 }))
  }

  /** Of those that nobody talks in. */
  async #leaf(): Promise<string> {
    const mains = new Set((await this.#store.channels.all()).map(({ mainID }) => mainID))
    const sessions = await this.#store.sessions.list({ limit: 100 })
    const spare = sessions.filter(({ id, kind }) => kind === 'branch' && !mains.has(id))
    const chosen = anyOf(this.#around.random, spare.length > 0 ? spare : sessions.slice(-1))
    if (spare.length > 0) this.#around.said.removed.add(chosen.id)
    return spare.length > 0 ? shortID(chosen.id) : 'nothing'
  }

  async #fork(): Promise<string> {
    const forks = await this.#store.sideForks.list({ limit: 10 })
    return forks.length > 0 ? shortID(anyOf(this.#around.random, forks).sessionID) : 'none'
  }

  async #approval(): Promise<readonly string[]> {
    const asked = await this.#store.permissions.asked()
    if (asked.length === 0) return ['approve']
    return ['approve', shortID(anyOf(this.#around.random, asked).id)]
  }

  #short(sessions: readonly { readonly id: SessionID }[]): string {
    return sessions.length > 0 ? shortID(anyOf(this.#around.random, sessions).id) : 'none'
  }
}
