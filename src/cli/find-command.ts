import type { Command } from './command.ts'
import { nearest } from './nearest.ts'
import { UsageError } from './usage-error.ts'

export function findCommand(commands: readonly Command[], name: string): Command {
  const command = commands.find((candidate) => candidate.name === name)
  if (command) return command
  const kind = name.startsWith('-') ? 'option' : 'command'
  const meant = nearest(name, [...commands.map((candidate) => candidate.name), '--help', '--version'])
  throw new UsageError(
    `There is no ${kind} "${name}". ${meant ? `Did you mean "${meant}"?` : '"bough --help" lists the commands.'}`,
  )
}
