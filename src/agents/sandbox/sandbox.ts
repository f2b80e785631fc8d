import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { promisify } from 'node:util'
import { BoughError } from '../../tree/error.ts'
import type { Program } from '../agent-process.ts'
import { findOnPath } from '../installed.ts'
import { bubblewrapArgs } from './bubblewrap.ts'
import { cleanEnvironment } from './clean-environment.ts'
import { hiddenPlaces } from './hidden-places.ts'
import { realRules } from './real-rules.ts'
import type { Rule } from './rule.ts'

/** What an agent needs besides the session's files. */
export interface Needs {
  /** Files of its own; they go before what is hidden. */
  readonly rules?: readonly Rule[]
  /** Variables that it needs although their names sound like secrets. */
  keeps?(name: string): boolean
}

export interface SandboxOptions {
  /** Of bough: where bubblewrap is looked for, and where the person's home is. */
  readonly env: NodeJS.ProcessEnv
  /** What the session may do, beside what holds for all. */
  readonly rules: readonly Rule[]
}

const temporary = '/tmp/bough-sandbox'

/** Starts the programs of one session's agent so that they reach only what they need. */
export class Sandbox {
  readonly #options: SandboxOptions
  readonly #bwrap: string

  /** Starts a sandbox to find out whether that works here: bubblewrap may be installed and forbidden. */
  static async open(options: SandboxOptions): Promise<Sandbox> {
    if (process.platform !== 'linux')
      throw new BoughError('sandbox_unavailable', `bough has no sandbox for ${process.platform} yet.`)
    const bwrap = await findOnPath('bwrap', options.env)
    if (bwrap === null) throw new BoughError('sandbox_unavailable', `bubblewrap is not installed. ${install}`)
    const sandbox = new Sandbox(options, bwrap)
    await sandbox.#probe()
    return sandbox
  }

  private constructor(options: SandboxOptions, bwrap: string) {
    this.#options = options
    this.#bwrap = bwrap
  }

  /** What the session may write. */
  get writable(): readonly string[] {
    return this.#options.rules.flatMap(({ path, access }) => (access === 'write' ? path : []))
  }

  /** Makes ready for programs with these needs; what it resolves with changes a program so that it runs in the sandbox. */
  async prepare(needs: Needs = {}): Promise<(program: Program) => Program> {
    const { env: around, rules } = this.#options
    const all = [...hiddenPlaces(around, around.HOME || homedir()), ...(needs.rules ?? []), ...rules]
    const confinement = { rules: await realRules(all), temporary, network: 'shared' } as const
    const asRoot = process.getuid?.() === 0
    const keeps = (name: string) => needs.keeps?.(name) ?? false
    return ({ command, args, cwd, env }) => ({
      command: this.#bwrap,
      args: [...bubblewrapArgs({ ...confinement, cwd }, { asRoot }), command, ...args],
      cwd,
      env: { ...cleanEnvironment(env, keeps), TMPDIR: temporary },
    })
  }

  async #probe(): Promise<void> {
    const confine = await this.prepare()
    const { command, args, cwd, env } = confine({
      ...{ command: 'true', args: [], cwd: '/', env: this.#options.env },
    })
    try {
      await promisify(execFile)(command, args, { cwd, env, timeout: 10_000 })
    } catch (cause) {
      const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : ''
      throw new BoughError(
        'sandbox_unavailable',
        `bubblewrap cannot start a sandbox here${said === '' ? '' : ` (${said})`}. ${allow}`,
        { cause },
      )
    }
  }
}

const install = 'Install it with your package manager: the package is called bubblewrap.'

const allow =
  'Let your user make user namespaces: sysctl kernel.unprivileged_userns_clone=1, and on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0. A container must allow that too.'
