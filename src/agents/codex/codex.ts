import type { Driver, NativeSessions, OpenOptions } from '../driver.ts'
import type { CodexSandbox } from './approvals.ts'
import { checkCodex, codexAsTyped, findCodex, isSignedIn } from './find-codex.ts'
import type { WorktreesOf } from './native-sessions.ts'
import type { SharedServer } from './shared-server.ts'
import { withSignInHint } from './sign-in-hint.ts'
import { withoutFilters } from './untrusted.ts'

export interface CodexOptions {
  /** The person's choice; null for the first one found. */
  readonly executable?: string | null
  /** Of sessions that name none; null for Codex's own default. */
  readonly model?: string | null
  readonly env?: NodeJS.ProcessEnv
  readonly sandbox?: CodexSandbox
  /** The program and arguments that serve our tools to Codex: `bough mcp`. */
  readonly mcpCommand: readonly string[]
  /** All work trees of the repository that a directory is in. */
  readonly worktreesOf: WorktreesOf
  /** Milliseconds until a turn is given up in which nothing happens. */
  readonly patience?: number
}

/** Codex, through its app-server: one process for all connections. */
export function createCodexDriver({
  executable = null,
  model = null,
  env = process.env,
  sandbox = 'keep',
  mcpCommand,
  worktreesOf,
  patience = 10 * 60_000,
}: CodexOptions): Driver {
  // By the environment that they need. Nearly always there is one.
  const servers = new Map<string, Promise<SharedServer>>()
  let window: number | null = null
  // Loaded when it is first needed: most commands never talk to it.
  const startShared = async (filters: readonly string[]): Promise<SharedServer> => {
    const [{ SharedServer }, { AppServer }] = await Promise.all([
      import('./shared-server.ts'),
      import('./app-server.ts'),
    ])
    const own = withoutFilters(env, filters)
    return new SharedServer(async () => AppServer.start(await findCodex(env, executable), own))
  }
  const share = (filters: readonly string[] = []): Promise<SharedServer> => {
    const key = JSON.stringify(filters)
    const shared = servers.get(key) ?? startShared(filters)
    servers.set(key, shared)
    return shared
  }
  const sessions = async (): Promise<NativeSessions> => {
    const { CodexSessions } = await import('./native-sessions.ts')
    return new CodexSessions(await share(), await codexAsTyped(env, executable), worktreesOf)
  }
  return {
    name: 'codex',
    capabilities: { history: 'native' },
    settings: ['.codex'],
    native: {
      list: async (directory) => (await sessions()).list(directory),
      read: async (nativeID) => (await sessions()).read(nativeID),
      version: async (nativeID) => (await sessions()).version(nativeID),
      command: async (start, cwd) => (await sessions()).command(start, cwd),
    },
    async contextWindow() {
      if (window !== null) return window
      const { contextWindowOf, usualWindow } = await import('./context-window.ts')
      window = await (await share()).use(contextWindowOf).catch(() => usualWindow)
      return window
    },
    async open(options: OpenOptions) {
      const { project } = options
      const { CodexConnection } = await import('./connection.ts')
      const shared = await share(project.isTrusted ? [] : await project.gitFilters())
      const lease = await shared.join((pid) => options.recordProcess(pid))
      const own = { ...options, model: options.model ?? model }
      const connection = await CodexConnection.open(lease, own, { mcpCommand, patience, sandbox })
      return (await isSignedIn(env)) ? connection : withSignInHint(connection)
    },
    check: () => checkCodex(env, executable),
    async close() {
      await Promise.all([...servers.values()].map(async (shared) => (await shared).close()))
    },
  }
}
