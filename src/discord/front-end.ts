import { messageOf } from '../tree/error.ts'
import type { ChannelFrontEnd } from '../tree/front-end.ts'
import { type OutboxID, type SessionID, shortID } from '../tree/ids.ts'
import type { Outgoing } from '../tree/outgoing.ts'
import type { Approvals } from './approvals.ts'
import { nonceOf } from './nonce.ts'
import type { Port } from './port.ts'
import type { Posting } from './posting.ts'
import { Pages } from './stream/pages.ts'
import { split } from './stream/split.ts'
import { type Pace, streamReply } from './stream/stream-reply.ts'
import { aside } from './views/limits.ts'
import { contentOf } from './views/outgoing-view.ts'
import { runMark } from './views/run-mark.ts'

export interface FrontEndParts {
  readonly port: Port
  readonly posting: Posting
  readonly approvals: Approvals
  /** Looks which messages wait no longer. */
  sweep(): void
  readonly pace: Pace
  /** Names the background run that sends something; null for any other session. */
  runOf(sessionID: SessionID): Promise<string | null>
  log(words: string): void
}

/** The owner's direct messages as a place that shows a channel. */
export const frontEndOf = (parts: FrontEndParts): ChannelFrontEnd => ({
  async show(turn) {
    const { port, posting, approvals, sweep, pace } = parts
    sweep()
    await streamReply(turn, {
      port,
      pace,
      post: (content, nonce) => posting.post(content, nonce, turn.sessionID, turn.id),
      asked: (permission) => void approvals.ask(permission),
    })
  },

  async send(what, id, sessionID) {
    // It may be the answer to something that another process has done.
    parts.sweep()
    const { port, posting, log } = parts
    const run = what.kind === 'message' || what.kind === 'embed' ? await parts.runOf(sessionID) : null
    const mark = run === null ? null : runMark(run)
    const sent =
      what.kind === 'message'
        ? sendWords(parts, what, id, sessionID, mark)
        : posting.post(
            { ...contentOf(what, sessionID), ...(mark !== null && { text: mark }) },
            nonceOf(id),
            sessionID,
          )
    return sent.catch((error) => {
      if (!port.isUnfit(error)) throw error
      // All that comes after it would wait for ever.
      log(`Discord does not take something that session ${shortID(sessionID)} sends: ${messageOf(error)}`)
      return null
    })
  },

  async edit(externalID, what) {
    if (what.kind === 'message') return
    const { port, log } = parts
    await port.edit(externalID, contentOf(what, null)).catch((error) => {
      if (!port.isRefusal(error)) throw error
      // Whoever clicks on them is told that the fork is over: nothing has to wait for them.
      log(`The banner of a fork that is over keeps its buttons: ${messageOf(error)}`)
    })
  },

  ask: (permission, over) => parts.approvals.ask(permission, over),
})

/** Words of any length; where a part of them is shown already, they go on there. */
async function sendWords(
  { port, posting }: FrontEndParts,
  { text, reply }: Extract<Outgoing, { kind: 'message' }>,
  id: OutboxID,
  sessionID: SessionID,
  mark: string | null,
): Promise<string | null> {
  const pages = new Pages({
    port,
    id: reply?.turnID ?? id,
    ...(reply && { shown: reply.shown }),
    post: (content, nonce) => posting.post(content, nonce, sessionID, reply?.turnID),
  })
  const pieces = split(mark === null || text.trim() === '' ? text : `${mark}\n${text}`)
  await pages.show(pieces.length > 0 ? pieces : [aside('What was said here is lost: it was cut off.')])
  return pages.first
}
