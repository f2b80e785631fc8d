import { shortID } from '../../tree/ids.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { ExitCode } from '../command.ts'
import { bashCompletion } from '../completion/bash.ts'
import { fishCompletion } from '../completion/fish.ts'
import { zshCompletion } from '../completion/zsh.ts'
import type { Context } from '../context.ts'
import { UsageError } from '../usage-error.ts'

const mostOffered = 200

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, commands } = context
  const shell = args.word('shell')
  switch (shell) {
    case 'bash':
      out.write(bashCompletion(commands))
      return 0
    case 'zsh':
      out.write(zshCompletion(commands))
      return 0
    case 'fish':
      out.write(fishCompletion(commands))
      return 0
    case 'sessions':
      return offerSessions(context, args.optionalWord('typed') ?? '')
    default:
      throw new UsageError(`There is no completion for "${shell}". There is for bash, zsh and fish.`)
  }
}

// The end of an id is what people see and type; the whole of it is offered to who began with its beginning.
async function offerSessions({ out, open }: Context, typed: string): Promise<ExitCode> {
  const sessions = await (await open()).sessions({ limit: mostOffered })
  for (const { id, title } of sessions)
    out.line(`${typed.startsWith('ses_') ? id : shortID(id)}\t${plainLine(title)}`)
  return 0
}
