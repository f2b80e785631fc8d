import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { promisify } from 'node:util'
import { BoughError } from '../../tree/error.ts'
import type { NetworkAccess } from '../../tree/network.ts'
import type { Program } from '../agent-process.ts'
import { cleanEnvironment } from './clean-environment.ts'
import { type Engine, findEngine } from './engine.ts'
import { hiddenPlaces } from './hidden-places.ts'
import type { AllowedHosts, NetworkProxy } from './network/network-proxy.ts'
import { endpointsOf, relayTask } from './network/relayed.ts'
import { programPlaces } from './program-places.ts'
import { realRules } from './real-rules.ts'
import type { Rule } from './rule.ts'

/** What an agent needs besides the session's files. */
export interface Needs {
  /** Files of its own; they go before what is hidden. */
  readonly rules?: readonly Rule[]
  /** Variables that it needs although their names sound like secrets. */
  keeps?(name: string): boolean
  /** URLs of its model, which it reaches whatever network it has. */
  readonly endpoints?: readonly string[]
}

export interface SandboxOptions {
  /** Of bough: where bubblewrap is looked for, and where the person's home is. */
  readonly env: NodeJS.ProcessEnv
  /** What the session may do, beside what holds for all. */
  readonly rules: readonly Rule[]
  readonly network: NetworkAccess
  /** The program and arguments that lead to the network's proxy from inside: `bough relay`. */
  readonly relayCommand: readonly string[]
  /** Whether the agent does not start without. */
  readonly isRequired: boolean
}

/** Starts the programs of one session's agent so that they reach only what they need. */
export class Sandbox {
  readonly #options: SandboxOptions
  readonly #engine: Engine
  readonly #proxies = new Map<string, Promise<NetworkProxy>>()

  /** Starts a sandbox to find out whether that works here: bubblewrap may be installed and forbidden. */
  static async open(options: SandboxOptions): Promise<Sandbox> {
    const network = options.network === 'shared' ? 'shared' : 'own'
    const sandbox = new Sandbox(options, await findEngine({ ...options, network }))
    try {
      await sandbox.#probe()
      return sandbox
    } catch (error) {
      await sandbox.close()
      throw error
    }
  }

  private constructor(options: SandboxOptions, engine: Engine) {
    this.#options = options
    this.#engine = engine
  }

  /** What the session may write. */
  get writable(): readonly string[] {
    return this.#options.rules.flatMap(({ path, access }) => (access === 'write' ? path : []))
  }

  /** Makes ready for programs with these needs; what it resolves with changes a program so that it runs in the sandbox. */
  async prepare(needs: Needs = {}): Promise<(program: Program) => Program> {
    const { network, relayCommand } = this.#options
    if (network === 'shared') return this.#confining(needs)
    const endpoints = endpointsOf(needs.endpoints ?? [])
    const proxy = await this.#proxyFor({ hosts: network, endpoints })
    const socket: Rule = { path: proxy.path, access: 'write' }
    const confine = await this.#confining({ ...needs, rules: [...(needs.rules ?? []), socket] })
    const [command = '', ...args] = relayCommand
    return (program) => {
      const { env, ...rest } = confine({ ...program, command, args })
      return {
        ...rest,
        env: { ...env, BOUGH_RELAY: JSON.stringify(relayTask(proxy.path, endpoints, program)) },
      }
    }
  }

  /** Ends the ways out of it. Its processes have ended before. */
  async close(): Promise<void> {
    const proxies = [...this.#proxies.values()]
    this.#proxies.clear()
    await Promise.allSettled([...proxies.map(async (proxy) => (await proxy).close()), this.#engine.close()])
  }

  #proxyFor(allowed: AllowedHosts): Promise<NetworkProxy> {
    const key = JSON.stringify(allowed)
    const proxy =
      this.#proxies.get(key) ??
      import('./network/network-proxy.ts').then(({ NetworkProxy }) => NetworkProxy.listen(allowed))
    this.#proxies.set(key, proxy)
    return proxy
  }

  async #confining({ rules: own = [], keeps = () => false }: Needs): Promise<(program: Program) => Program> {
    const { env: around, rules, network, relayCommand } = this.#options
    const confinement = {
      rules: await realRules([
        ...hiddenPlaces(around, around.HOME || homedir()),
        ...programPlaces(around, relayCommand),
        ...own,
        ...rules,
      ]),
      temporary: this.#engine.temporary,
      network: network === 'shared' ? 'shared' : 'own',
    } as const
    const { command: engine, temporary } = this.#engine
    return ({ command, args, cwd, env }) => ({
      command: engine,
      args: [...this.#engine.args({ ...confinement, cwd }), command, ...args],
      cwd,
      env: { ...cleanEnvironment(env, keeps), TMPDIR: temporary },
    })
  }

  async #probe(): Promise<void> {
    const confine = await this.#confining({})
    const { command, args, cwd, env } = confine({
      ...{ command: 'true', args: [], cwd: '/', env: this.#options.env },
    })
    try {
      await promisify(execFile)(command, args, { cwd, env, timeout: 10_000 })
    } catch (cause) {
      const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : ''
      throw new BoughError(
        'sandbox_unavailable',
        `${this.#engine.name} cannot start a sandbox here${said === '' ? '' : ` (${said})`}. ${allow}`,
        { cause },
      )
    }
  }
}

const allow =
  'Let your user make user namespaces: sysctl kernel.unprivileged_userns_clone=1, and on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0. A container must allow that too.'
