import type { Bough } from '../bough.ts'
import type { Session } from '../tree/session.ts'

/**
 * The session of a directory that something happened in last; null where there is none. A fork that comes back is no place to
 * begin in, unless it is where a conversation is now.
 */
export async function latestHere(bough: Bough, directory: string): Promise<Session | null> {
  const [channels, all] = await Promise.all([bough.channels(), bough.sessions({ directory })])
  const current = new Set(channels.flatMap(({ mainID, openForkID }) => [mainID, openForkID]))
  const comesBack = ({ kind }: Session): boolean => kind === 'interactive' || kind === 'background'
  const sessions = all.filter((session) => !comesBack(session) || current.has(session.id))
  const [latest] = sessions.toSorted((a, b) => b.updated - a.updated)
  return latest ?? null
}
