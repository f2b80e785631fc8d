import type { Connection } from '../agents/driver.ts'
import type { Rule } from '../agents/sandbox/rule.ts'
import type { Sandbox } from '../agents/sandbox/sandbox.ts'
import type { Store } from '../store/store.ts'
import { BoughError, hasCode } from '../tree/error.ts'
import type { SessionID } from '../tree/ids.ts'
import type { NetworkAccess } from '../tree/network.ts'
import type { SandboxMode } from '../tree/sandbox.ts'
import type { Session } from '../tree/session.ts'
import { type AccessLimits, isTooWide } from './file-access.ts'
import { protectedFiles } from './protected-files.ts'

interface SandboxParts {
  readonly store: Store
  readonly env: NodeJS.ProcessEnv
  /** What the person has chosen for sessions that choose nothing; null: `auto` where nobody watches. */
  readonly mode: SandboxMode | null
  readonly network: NetworkAccess
  readonly relayCommand: readonly string[]
  readonly limits: AccessLimits
}

/** Opens the sandboxes of sessions: who gets one, and what is the session's there. */
export class SessionSandboxes {
  readonly #parts: SandboxParts
  readonly #untold = new Map<SessionID, string>()
  readonly #told = new Set<SessionID>()

  constructor(parts: SandboxParts) {
    this.#parts = parts
  }

  /** Null for a session without one; rejects where it must have one and cannot. */
  async open(session: Session): Promise<Sandbox | null> {
    const mode = modeOf(session, this.#parts.mode)
    if (mode === 'off') return null
    const { Sandbox } = await import('../agents/sandbox/sandbox.ts')
    try {
      const { env, network, relayCommand } = this.#parts
      const rules = await this.#rulesFor(session)
      return await Sandbox.open({ env, network, relayCommand, rules, isRequired: mode === 'on' })
    } catch (error) {
      if (!hasCode(error, 'sandbox_unavailable')) throw error
      if (mode === 'on') {
        const words = `This session runs in a sandbox or not at all. ${error.message}`
        throw new BoughError('sandbox_unavailable', words, { cause: error })
      }
      if (!this.#told.has(session.id)) this.#untold.set(session.id, error.message)
      return null
    }
  }

  /** Opens a connection that owns the sandbox. A turn tells once that there is none; a seed is no turn. */
  async attach(
    sessionID: SessionID,
    sandbox: Sandbox | null,
    open: () => Promise<Connection>,
  ): Promise<Connection> {
    const connection = await open().catch(async (error) => {
      await sandbox?.close()
      throw error
    })
    if (sandbox === null && !this.#untold.has(sessionID)) return connection
    const takeNotice = () => this.#takeNotice(sessionID)
    return {
      async *send(prompt, signal) {
        const why = takeNotice()
        if (why !== null) yield { type: 'notice', text: `This runs without a sandbox. ${why}` }
        yield* connection.send(prompt, signal)
      },
      close: () => connection.close().finally(() => sandbox?.close()),
    }
  }

  #takeNotice(sessionID: SessionID): string | null {
    const why = this.#untold.get(sessionID) ?? null
    this.#untold.delete(sessionID)
    this.#told.add(sessionID)
    return why
  }

  async #rulesFor({ directory, workspaceID }: Session): Promise<readonly Rule[]> {
    const { store, limits } = this.#parts
    const { commitAccess } = await import('../workspace/worktree/commit-access.ts')
    const workspace = workspaceID && (await store.workspaces.get(workspaceID))
    const git = await commitAccess(directory, workspace?.branch ?? null)
    return [
      ...rules('hidden', limits.ownData),
      ...rules('read', git.read),
      ...rules('write', git.write),
      { path: directory, access: (await isTooWide(directory, limits.homes)) ? 'read' : 'write' },
      ...rules('read', await protectedFiles(directory, limits.protected)),
    ]
  }
}

function modeOf({ sandbox, kind }: Session, configured: SandboxMode | null): SandboxMode {
  return sandbox ?? configured ?? (kind === 'background' ? 'auto' : 'off')
}

const rules = (access: Rule['access'], paths: readonly string[]): readonly Rule[] =>
  paths.map((path) => ({ path, access }))
