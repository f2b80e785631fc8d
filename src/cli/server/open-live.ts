import type { Bough } from '../../bough.ts'
import type { Session } from '../../tree/session.ts'
import type { Context } from '../context.ts'

export interface OpenedLive {
  readonly bough: Bough
  readonly session: Session
}

export interface LiveOptions {
  /** Which session is looked at, where that is another one than the one that is opened. */
  readonly busy?: (bough: Bough, session: Session) => Promise<Session>
  /** It is watched from now on, whatever happens in it. */
  readonly isWatched?: boolean
}

/**
 * Bough and a session, for a command that talks in it or watches it.
 *
 * When a server is used that nobody has named: a turn runs in the session, or the command watches what happens in it, and a
 * server runs on this machine for the same data, answers, and lets us in. Then the command goes to that server, and sees
 * each word as it comes. Whose turn it is does not matter: what another process runs, the server follows in the store just as
 * we would. Without such a server all goes on here; the turn of another process then comes in pieces of half a second.
 */
export async function openLive(
  context: Context,
  find: (bough: Bough) => Promise<Session>,
  { busy = async (_, session) => session, isWatched = false }: LiveOptions = {},
): Promise<OpenedLive> {
  const bough = await context.open()
  const session = await find(bough)
  if (context.server !== null) return { bough, session }
  if (!isWatched && (await busy(bough, session)).state !== 'running') return { bough, session }
  const served = await context.openFound()
  return served ? { bough: served, session: await served.session(session.id) } : { bough, session }
}
