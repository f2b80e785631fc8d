import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { findCommand } from '../find-command.ts'
import { commandHelp, overview } from '../help.ts'

export async function run({ args, out, commands }: Context): Promise<ExitCode> {
  const name = args.optionalWord('command')
  out.write(name === undefined ? overview(commands) : commandHelp(findCommand(commands, name)))
  return 0
}
