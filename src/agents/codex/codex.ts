import type { Driver, NativeSessions, OpenOptions } from '../driver.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { CodexSandbox } from './approvals.ts'
import { checkCodex, codexAsTyped, findCodex, isSignedIn, loginFile } from './find-codex.ts'
import { withoutFilters } from './git-filters.ts'
import type { WorktreesOf } from './native-sessions.ts'
import type { SharedServer } from './shared-server.ts'
import { withSignInHint } from './sign-in-hint.ts'
import type { ToolSocket } from './tool-socket.ts'

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

/** Codex, through its app-server: one process for all connections, but for those in a sandbox. */
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
  // A sandbox is of one session, and so is what runs in it.
  const serverIn = async (
    sandbox: Sandbox,
    filters: readonly string[],
    toolSocket: ToolSocket | null,
  ): Promise<SharedServer> => {
    const [{ SharedServer }, { AppServer, serverProgram }, { codexNeeds }] = await Promise.all([
      import('./shared-server.ts'),
      import('./app-server.ts'),
      import('./sandbox-needs.ts'),
    ])
    const needs = await codexNeeds(env)
    const tools = toolSocket ? [{ path: toolSocket.path, access: 'write' } as const] : []
    const confine = await sandbox.prepare({ ...needs, rules: [...(needs.rules ?? []), ...tools] })
    const own = withoutFilters(env, filters)
    const program = confine(serverProgram(await findCodex(env, executable), own))
    return new SharedServer(async () => AppServer.run(program))
  }
  const sessions = async (): Promise<NativeSessions> => {
    const { CodexSessions } = await import('./native-sessions.ts')
    return new CodexSessions(await share(), await codexAsTyped(env, executable), worktreesOf)
  }
  return {
    name: 'codex',
    capabilities: { history: 'native' },
    settings: ['.codex'],
    shipped: async (root, cwd) => (await import('./shipped.ts')).shippedForCodex(root, cwd),
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
      const own = { ...options, model: options.model ?? model }
      const join = async (toolSocket: ToolSocket | null) => {
        const filters = project.approved ? [] : await project.gitFilters()
        const recordProcess = (pid: number) => options.recordProcess(pid)
        if (!options.sandbox) return (await share(filters)).join(recordProcess)
        const server = await serverIn(options.sandbox, filters, toolSocket)
        return { ...(await server.join(recordProcess)), release: () => server.close() }
      }
      const connection = await CodexConnection.open(
        own,
        { mcpCommand, patience, sandbox, login: loginFile(env) },
        join,
      )
      return (await isSignedIn(env)) ? connection : withSignInHint(connection)
    },
    check: () => checkCodex(env, executable),
    async close() {
      await Promise.all([...servers.values()].map(async (shared) => (await shared).close()))
    },
  }
}
