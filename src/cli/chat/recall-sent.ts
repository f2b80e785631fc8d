import type { Chat } from './chat.ts'
import { replyable } from './outgoing-view.ts'

/** What was shown in this channel before: it can still be replied to. */
export async function recallSent({ bough, place, received }: Chat): Promise<void> {
  for (const { what, externalID } of await bough.sent(place.channel.id)) {
    const message = externalID === null ? null : replyable(what, externalID)
    if (message) received.add(message)
  }
}
