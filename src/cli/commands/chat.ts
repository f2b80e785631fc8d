import type { Bough } from '../../bough.ts'
import type { Session } from '../../tree/session.ts'
import { chat } from '../chat/chat.ts'
import { findChannel } from '../comeback/find-channel.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { openLive } from '../server/open-live.ts'
import { latestHere } from '../session-here.ts'

export async function run(context: Context): Promise<ExitCode> {
  const typed = context.args.optionalWord('session')
  const find = (bough: Bough): Promise<Session> =>
    typed === undefined ? sessionHere(context, bough) : bough.findSession(typed)
  const { bough, session } = await openLive(context, find, { busy: whereItGoes })
  return chat(context, bough, session)
}

// What is typed goes to the fork that is open there.
async function whereItGoes(bough: Bough, session: Session): Promise<Session> {
  const openForkID = (await findChannel(bough, session))?.openForkID
  return openForkID ? bough.session(openForkID) : session
}

async function sessionHere({ directory }: Context, bough: Bough): Promise<Session> {
  const here = directory()
  return (await latestHere(bough, here)) ?? bough.create({ directory: here })
}
