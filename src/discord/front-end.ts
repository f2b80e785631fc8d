import type { Bough } from '../bough.ts'
import type { ChannelFrontEnd } from '../tree/front-end.ts'
import type { ChannelID, OutboxID, SessionID } from '../tree/ids.ts'
import type { Outgoing } from '../tree/outgoing.ts'
import type { Approvals } from './approvals.ts'
import type { Marks } from './marks.ts'
import { nonceOf } from './nonce.ts'
import type { Port } from './port.ts'
import { Pages } from './stream/pages.ts'
import { split } from './stream/split.ts'
import { type Pace, streamReply } from './stream/stream-reply.ts'
import { aside } from './views/limits.ts'
import { contentOf } from './views/outgoing-view.ts'

export interface FrontEndParts {
  readonly bough: Bough
  readonly port: Port
  readonly channelID: ChannelID
  readonly approvals: Approvals
  readonly marks: Marks
  readonly pace: Pace
}

/** The owner's direct messages as a place that shows a channel. */
export const frontEndOf = (parts: FrontEndParts): ChannelFrontEnd => ({
  async show(turn, item) {
    const { bough, port, channelID, approvals, marks, pace } = parts
    void marks.clearFor(item)
    await streamReply(turn, {
      port,
      pace,
      posted: (externalID) => bough.link(channelID, externalID, turn.sessionID, turn.id),
      asked: (permission) => void approvals.ask(permission).catch(() => {}),
    })
  },

  async send(what, id, sessionID) {
    return what.kind === 'message'
      ? sendWords(parts, what, id, sessionID)
      : parts.port.send(contentOf(what, sessionID), nonceOf(id))
  },

  async edit(externalID, what) {
    if (what.kind !== 'message') await parts.port.edit(externalID, contentOf(what, null))
  },

  ask: (permission) => parts.approvals.ask(permission),
})

/** Words of any length; where a part of them is shown already, they go on there. */
async function sendWords(
  { bough, port, channelID }: FrontEndParts,
  { text, reply }: Extract<Outgoing, { kind: 'message' }>,
  id: OutboxID,
  sessionID: SessionID,
): Promise<string | null> {
  const pages = new Pages({
    port,
    id: reply?.turnID ?? id,
    ...(reply && { shown: reply.shown }),
    posted: (externalID) => bough.link(channelID, externalID, sessionID, reply?.turnID),
  })
  const pieces = split(text)
  await pages.show(pieces.length > 0 ? pieces : [aside('What was said here is lost: it was cut off.')])
  return pages.first
}
