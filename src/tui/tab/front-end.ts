import type { ChannelFrontEnd } from '../../tree/front-end.ts'
import type { OutboxID, SessionID } from '../../tree/ids.ts'
import type { Outgoing } from '../../tree/outgoing.ts'
import type { Turn } from '../../tree/turn.ts'

/** What a tab does with what its channel shows. */
export interface Showing {
  readonly isGuest: boolean
  follow(turn: Turn): void
  /** What the agent says there can be replied to. */
  said(messageID: string, sessionID: SessionID): Promise<void>
  sent(what: Outgoing, id: OutboxID, sessionID: SessionID): Promise<void>
  edited(id: string, what: Outgoing): void
}

/** A tab as a place that shows a channel. */
export const frontEndOf = ({ isGuest, follow, said, sent, edited }: Showing): ChannelFrontEnd => ({
  isGuest,
  async show(turn) {
    follow(turn)
    for await (const event of turn.events) {
      if (event.type !== 'message') continue
      const { id, role, text, sessionID } = event.message
      if (role === 'assistant' && text !== '') await said(id, sessionID)
    }
    await turn.ended
  },
  async send(what, id, sessionID) {
    await sent(what, id, sessionID)
    return id
  },
  async edit(externalID, what) {
    edited(externalID, what)
  },
  // What agents ask is heard of as all that changes is, from whichever channel.
  async ask() {},
})
