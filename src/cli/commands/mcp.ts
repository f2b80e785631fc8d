import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { relayTools } from '../serve-tools.ts'

export async function run({ env }: Context): Promise<ExitCode> {
  await relayTools(env)
  return 0
}
