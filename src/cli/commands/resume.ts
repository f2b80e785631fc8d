import { spawn } from 'node:child_process'
import { BoughError } from '../../tree/error.ts'
import { shortID } from '../../tree/ids.ts'
import type { OwnCommand } from '../../tree/native.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { shellLine } from '../shell-line.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, err, open } = context
  const bough = await open()
  const { id, messages } = await bough.findSession(args.word('session'))
  if (!args.flag('exec')) {
    const found = await bough.lend(id, async (command) => command)
    if (args.flag('json')) printJson(out, found)
    else out.line(`cd ${shellLine([found.directory])} && ${shellLine(found.command)}`)
    return 0
  }
  const code = await bough.lend(id, (command) => execute(command, args.words('more')))
  const added = (await bough.session(id)).messages - messages
  if (added > 0) err.line(`bough: ${added === 1 ? '1 message' : `${added} messages`} joined ${shortID(id)}.`)
  return code
}

/** Runs it in this terminal, which is its own meanwhile: Ctrl-C is for it. */
async function execute({ command, directory }: OwnCommand, more: readonly string[]): Promise<number> {
  const [program, ...args] = command
  const ignore = (): void => {}
  process.on('SIGINT', ignore)
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(program, [...args, ...more], { cwd: directory, stdio: 'inherit' })
      child.on('error', (cause) =>
        reject(new BoughError('agent_failed', `${program} cannot be started: ${cause.message}`, { cause })),
      )
      child.on('exit', (code) => resolve(code ?? 1))
    })
  } finally {
    process.off('SIGINT', ignore)
  }
}
