import { BoughError } from '../../tree/error.ts'
import type { Connection, Driver, OpenOptions, Start } from '../driver.ts'
import { type Claude, checkClaude, findClaude } from './find-claude.ts'

export interface ClaudeOptions {
  /** The person's choice; null for the first one found. */
  readonly executable?: string | null
  /** Of sessions that name none; null for Claude's own default. */
  readonly model?: string | null
  readonly env?: NodeJS.ProcessEnv
}

// Of one to fork Claude says so itself, and looking for it would cost every fork its time.
async function mustHave({ sdk }: Claude, start: Start): Promise<void> {
  if (start.kind !== 'resume' || (await sdk.getSessionInfo(start.nativeID))) return
  throw new BoughError('native_missing', 'Claude does not have this session any more: its file is gone.')
}

/** Claude Code, through its agent SDK: one process a connection. */
export function createClaudeDriver({
  executable = null,
  model = null,
  env = process.env,
}: ClaudeOptions = {}): Driver {
  return {
    name: 'claude',
    capabilities: {
      history: 'native',
      forksAt: 'any-message',
      fileCheckpoints: false,
      toolsInProcess: true,
    },
    async open(options: OpenOptions): Promise<Connection> {
      const claude = await findClaude(env, executable)
      await mustHave(claude, options.start)
      // Loaded when it is first needed: most commands never talk to it.
      const { ClaudeConnection } = await import('./connection.ts')
      return ClaudeConnection.open(claude, { ...options, model: options.model ?? model }, env)
    },
    check: () => checkClaude(env, executable),
    close: async () => {},
  }
}
