import type { SessionID } from '../../tree/ids.ts'
import type { Chat } from './chat.ts'

/** Goes where what is typed goes now, or where a turn of the channel is; whether that is elsewhere. */
export async function followPlace({ bough, place, transcript }: Chat, to?: SessionID): Promise<boolean> {
  const id = to ?? (await place.whereTo())
  if (id === transcript.session.id) return false
  await transcript.follow(await bough.session(id))
  return true
}
