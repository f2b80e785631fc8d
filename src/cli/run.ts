import { parseArguments } from './arguments.ts'
import type { Command, ExitCode } from './command.ts'
import { commands, start } from './commands.ts'
import { createContext } from './context.ts'
import { failureOf } from './failure.ts'
import { findCommand } from './find-command.ts'
import { commandHelp, overview } from './help.ts'

/** Runs one command line; what it resolves to is the exit code. */
export async function run(argv: readonly string[]): Promise<ExitCode> {
  try {
    const [name, ...rest] = argv
    if (name === '--help' || name === '-h') return print(overview(commands))
    if (name === undefined) return await runCommand(start, [])
    return await runCommand(findCommand(name), rest)
  } catch (error) {
    const { line, exitCode } = failureOf(error, process.env)
    process.stderr.write(`${line}\n`)
    return exitCode
  }
}

async function runCommand(command: Command, argv: readonly string[]): Promise<ExitCode> {
  const args = parseArguments(command, argv)
  if (args.help) return print(commandHelp(command))
  const { context, close } = createContext(args)
  try {
    const { run } = await command.load()
    return await run(context)
  } finally {
    await close()
  }
}

function print(text: string): ExitCode {
  process.stdout.write(text)
  return 0
}
