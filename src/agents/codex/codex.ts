import type { Driver, NativeSessions, OpenOptions } from '../driver.ts'
import { checkCodex, codexAsTyped, findCodex, isSignedIn } from './find-codex.ts'
import type { WorktreesOf } from './native-sessions.ts'
import type { SharedServer } from './shared-server.ts'
import { withSignInHint } from './sign-in-hint.ts'

export interface CodexOptions {
  /** The person's choice; null for the first one found. */
  readonly executable?: string | null
  /** Of sessions that name none; null for Codex's own default. */
  readonly model?: string | null
  readonly env?: NodeJS.ProcessEnv
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
  mcpCommand,
  worktreesOf,
  patience = 10 * 60_000,
}: CodexOptions): Driver {
  let shared: Promise<SharedServer> | null = null
  let window: number | null = null
  // Loaded when it is first needed: most commands never talk to it.
  const share = async (): Promise<SharedServer> => {
    const [{ SharedServer }, { AppServer }] = await Promise.all([
      import('./shared-server.ts'),
      import('./app-server.ts'),
    ])
    return new SharedServer(async () => AppServer.start(await findCodex(env, executable), env))
  }
  const sessions = async (): Promise<NativeSessions> => {
    shared ??= share()
    const { CodexSessions } = await import('./native-sessions.ts')
    return new CodexSessions(await shared, await codexAsTyped(env, executable), worktreesOf)
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
      shared ??= share()
      const { contextWindowOf, usualWindow } = await import('./context-window.ts')
      window = await (await shared).use(contextWindowOf).catch(() => usualWindow)
      return window
    },
    async open(options: OpenOptions) {
      shared ??= share()
      const { CodexConnection } = await import('./connection.ts')
      const lease = await (await shared).join((pid) => options.recordProcess(pid))
      const own = { ...options, model: options.model ?? model }
      const connection = await CodexConnection.open(lease, own, mcpCommand, patience)
      return (await isSignedIn(env)) ? connection : withSignInHint(connection)
    },
    check: () => checkCodex(env, executable),
    async close() {
      await (await shared)?.close()
    },
  }
}
