import type { Bough } from '../../bough.ts'
import type { Channel } from '../../tree/channel.ts'
import type { Session } from '../../tree/session.ts'

/** The channel that a session is main of, or a fork in; null where there is none. Looking makes none. */
export async function findChannel(bough: Bough, { id }: Session): Promise<Channel | null> {
  const fork = await bough.sideFork(id)
  const channels = await bough.channels()
  return (
    channels.find(({ mainID, openForkID }) => mainID === id || openForkID === id) ??
    channels.find((channel) => channel.id === fork?.channelID) ??
    null
  )
}
