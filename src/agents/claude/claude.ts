import type { Connection, Driver, OpenOptions } from '../driver.ts'
import { checkClaude, findClaude } from './find-claude.ts'

export interface ClaudeOptions {
  /** The person's choice; null for the first one found. */
  readonly executable?: string | null
  /** Of sessions that name none; null for Claude's own default. */
  readonly model?: string | null
  readonly env?: NodeJS.ProcessEnv
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
      // Loaded when it is first needed: most commands never talk to it.
      const { ClaudeConnection } = await import('./connection.ts')
      return ClaudeConnection.open(claude, { ...options, model: options.model ?? model }, env)
    },
    check: () => checkClaude(env, executable),
    close: async () => {},
  }
}
