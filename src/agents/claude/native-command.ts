import type { NativeCommand, Start } from '../driver.ts'
import { type Claude, programOf } from './find-claude.ts'
import { forkAhead } from './fork-ahead.ts'

/** How a person goes on with a session in Claude's own tool. A fork is made first. */
export async function nativeCommand(
  claude: Claude,
  start: Exclude<Start, { kind: 'fresh' }>,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<NativeCommand> {
  const program = await programOf(claude, env)
  const nativeID = start.kind === 'fork' ? await forkAhead(claude, start, cwd, env) : start.nativeID
  return { command: [program, '--resume', nativeID], nativeID }
}
