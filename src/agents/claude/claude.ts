import type { Connection, Driver, NativeSessions, OpenOptions, Start } from '../driver.ts'
import { type Claude, checkClaude, findClaude, findSdk } from './find-claude.ts'

export interface ClaudeOptions {
  /** The person's choice; null for the first one found. */
  readonly executable?: string | null
  /** Of sessions that name none; null for Claude's own default. */
  readonly model?: string | null
  readonly env?: NodeJS.ProcessEnv
}

// Of one to fork Claude says so itself, and looking for it would cost every fork its time.
async function mustHave({ sdk }: Claude, start: Start): Promise<void> {
  if (start.kind !== 'resume') return
  const [{ sessionInfo }, { missing }] = await Promise.all([
    import('./session-info.ts'),
    import('./no-session.ts'),
  ])
  if (await sessionInfo(sdk, start.nativeID)) return
  throw missing()
}

/** Loaded, like what talks to it, when it is first needed: most commands never do. */
function nativeSessions(env: NodeJS.ProcessEnv, executable: string | null): NativeSessions {
  const sessions = async () => {
    const { nativeSessionsOf } = await import('./native-sessions.ts')
    return nativeSessionsOf(await findSdk(env))
  }
  return {
    list: async (directory) => (await sessions()).list(directory),
    read: async (nativeID) => (await sessions()).read(nativeID),
    version: async (nativeID) => (await sessions()).version(nativeID),
    command: async (start, cwd) => {
      const { nativeCommand } = await import('./native-command.ts')
      return nativeCommand(await findClaude(env, executable), start, cwd, env)
    },
  }
}

/** As far as the name of a model tells: only a running Claude knows better. */
const windowOf = (model: string | null): number =>
  /\[1m\]$|-(opus|sonnet)-5/.test(model ?? '') ? 1_000_000 : 200_000

/** Claude Code, through its agent SDK: one process a connection. */
export function createClaudeDriver({
  executable = null,
  model = null,
  env = process.env,
}: ClaudeOptions = {}): Driver {
  return {
    name: 'claude',
    capabilities: { history: 'native' },
    settings: ['.claude', '.claude.json', '.mcp.json'],
    shipped: async (root, cwd) => {
      const { shippedForClaude } = await import('./shipped.ts')
      return shippedForClaude(root, cwd).map(({ part }) => part)
    },
    native: nativeSessions(env, executable),
    contextWindow: async (asked) => windowOf(asked ?? model),
    async open(options: OpenOptions): Promise<Connection> {
      const claude = await findClaude(env, executable)
      await mustHave(claude, options.start)
      const { ClaudeConnection } = await import('./connection.ts')
      return ClaudeConnection.open(claude, { ...options, model: options.model ?? model }, env)
    },
    check: () => checkClaude(env, executable),
    close: async () => {},
  }
}
