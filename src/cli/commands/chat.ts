import type { Bough } from '../../bough.ts'
import type { Session } from '../../tree/session.ts'
import { chat } from '../chat/chat.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'

export async function run(context: Context): Promise<ExitCode> {
  const bough = await context.open()
  const typed = context.args.optionalWord('session')
  return chat(
    context,
    bough,
    typed === undefined ? await sessionHere(context, bough) : await bough.findSession(typed),
  )
}

async function sessionHere({ directory }: Context, bough: Bough): Promise<Session> {
  const here = directory()
  const sessions = await bough.sessions({ directory: here })
  const [latest] = sessions.toSorted((a, b) => b.updated - a.updated)
  return latest ?? bough.create({ directory: here })
}
