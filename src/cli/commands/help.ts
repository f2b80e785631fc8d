import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { findCommand } from '../find-command.ts'
import { commandHelp, overview } from '../help.ts'
import { UsageError } from '../usage-error.ts'

export async function run({ args, out, commands }: Context): Promise<ExitCode> {
  const name = args.optionalWord('command')
  if (name === undefined) {
    out.write(overview(commands))
    return 0
  }
  const command = findCommand(commands, name)
  const action = args.optionalWord('action')
  const actions = command.positionals[0]?.suggests
  if (action !== undefined && (actions === 'sessions' || !actions?.includes(action)))
    throw new UsageError(`"${name}" has no "${action}". "bough help ${name}" says what it has.`)
  out.write(commandHelp(command))
  return 0
}
