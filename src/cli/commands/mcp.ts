import { relay } from '../../agents/codex/mcp-relay.ts'
import { BoughError } from '../../tree/error.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'

export async function run({ env }: Context): Promise<ExitCode> {
  const { BOUGH_MCP_SOCKET: socket, BOUGH_MCP_SECRET: secret } = env
  if (!socket || !secret) {
    throw new BoughError(
      'bad_input',
      'Agents that bough runs start "bough mcp" themselves; there is nothing to do.',
    )
  }
  try {
    await relay(socket, secret, process.stdin, process.stdout)
    return 0
  } catch (cause) {
    throw new BoughError('closed', 'The session that these tools belong to is closed.', { cause })
  }
}
