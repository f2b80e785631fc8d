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

// A fork that comes back is no place to begin in, unless it is where a conversation is now.
async function sessionHere({ directory }: Context, bough: Bough): Promise<Session> {
  const here = directory()
  const channels = await bough.channels()
  const current = new Set(channels.flatMap(({ mainID, openForkID }) => [mainID, openForkID]))
  const comesBack = ({ kind }: Session): boolean => kind === 'interactive' || kind === 'background'
  const sessions = (await bough.sessions({ directory: here })).filter(
    (session) => !comesBack(session) || current.has(session.id),
  )
  const [latest] = sessions.toSorted((a, b) => b.updated - a.updated)
  return latest ?? bough.create({ directory: here })
}
