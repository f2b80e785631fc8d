import { BoughError } from '../tree/error.ts'
import type { ExitCode } from './command.ts'
import { relay } from './mcp-relay.ts'

/** Serves bough's tools to the agent whose connection the environment names, as a whole program with nothing else loaded. */
export async function serveTools(env: NodeJS.ProcessEnv): Promise<ExitCode> {
  try {
    await relayTools(env)
    return 0
  } catch (error) {
    const { failureOf } = await import('./failure.ts')
    const { line, exitCode } = failureOf(error, env)
    process.stderr.write(`${line}\n`)
    return exitCode
  }
}

export async function relayTools({
  BOUGH_MCP_SOCKET: socket,
  BOUGH_MCP_SECRET: secret,
}: NodeJS.ProcessEnv): Promise<void> {
  if (!socket || !secret) {
    throw new BoughError(
      'bad_input',
      'Agents that bough runs start "bough mcp" themselves; there is nothing to do.',
    )
  }
  try {
    await relay(socket, secret, process.stdin, process.stdout)
  } catch (cause) {
    throw new BoughError('closed', 'The session that these tools belong to is closed.', { cause })
  }
}
