import { parseArguments } from './arguments.ts'
import type { Command, ExitCode } from './command.ts'
import { commands, start } from './commands.ts'
import { createContext } from './context.ts'
import { failureOf } from './failure.ts'
import { findCommand } from './find-command.ts'
import { commandHelp, overview } from './help.ts'
import { refuseAgents } from './not-for-agents.ts'
import { Output } from './output.ts'
import { serverOptions } from './server/server-options.ts'
import { version } from './version.ts'

/** Runs one command line; what it resolves to is the exit code. */
export async function run(argv: readonly string[]): Promise<ExitCode> {
  const out = new Output(process.stdout)
  const err = new Output(process.stderr)
  const exitCode = await attempt(argv, out, err)
  const failure = await out.settled()
  if (!failure) return exitCode
  err.line(`bough: The output could not be written (${failure.message}). Write it to somewhere else.`)
  return exitCode || 1
}

async function attempt(argv: readonly string[], out: Output, err: Output): Promise<ExitCode> {
  try {
    const [name, ...rest] = serverLast(argv)
    if (name === undefined || isServerOption(name))
      return await runCommand(start, name === undefined ? [] : [name, ...rest], out, err)
    if (name === '--help' || name === '-h') out.write(overview(commands))
    // Alone it is answered before all this is loaded.
    else if (name === '--version' || name === '-v') out.line(`bough ${version}`)
    else return await runCommand(findCommand(commands, name), rest, out, err)
    return 0
  } catch (error) {
    const { line, exitCode } = failureOf(error, process.env)
    err.line(line)
    return exitCode
  }
}

const isServerOption = (word: string): boolean =>
  serverOptions.some(({ name }) => word === `--${name}` || word.startsWith(`--${name}=`))

/** What every command takes may also stand before its name. */
function serverLast(argv: readonly string[]): readonly string[] {
  const [option = ''] = argv
  if (!isServerOption(option)) return argv
  const count = option.includes('=') ? 1 : 2
  const [name, ...rest] = serverLast(argv.slice(count))
  const given = argv.slice(0, count)
  return name === undefined
    ? given
    : isServerOption(name)
      ? [...given, name, ...rest]
      : [name, ...given, ...rest]
}

async function runCommand(
  command: Command,
  argv: readonly string[],
  out: Output,
  err: Output,
): Promise<ExitCode> {
  const args = parseArguments(command, argv)
  if (args.help) {
    out.write(commandHelp(command))
    return 0
  }
  refuseAgents(command, args, process.env)
  const { context, close } = createContext(args, commands, out, err)
  try {
    const { run } = await command.load()
    return await run(context)
  } finally {
    await close()
  }
}
