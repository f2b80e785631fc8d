import type { InboxItem } from '../../tree/inbox.ts'
import type { Message } from '../../tree/message.ts'
import { replyWords } from '../../tree/reply-words.ts'
import { turnEndWords } from '../../tree/turn-end-words.ts'
import type { RunningTurn } from '../../turns/running-turn.ts'
import { post } from './post.ts'
import type { SideParts } from './side-parts.ts'

/** Waits for the end of a turn that nobody shows here to its end, and leaves what the agent said for whoever shows the channel. */
export async function postReply(
  parts: Pick<SideParts, 'store' | 'ids' | 'clock'>,
  turn: RunningTurn,
  { id, channelID }: InboxItem,
): Promise<void> {
  const messages: Message[] = []
  for await (const event of turn.events) if (event.type === 'message') messages.push(event.message)
  const text = replyWords(messages)
  const { outcome, reason } = await turn.ended
  await parts.store.transaction(async (tx) => {
    // Who has taken it for left behind meanwhile has told what became of it.
    if ((await tx.inbox.get(id))?.state !== 'running') return
    const reply = { turnID: turn.id, shown: await tx.links.showing(turn.id) }
    if (text !== '' || reply.shown.length > 0)
      await post(tx, parts, channelID, turn.sessionID, { kind: 'message', text, reply })
    if (outcome !== 'finished')
      await post(tx, parts, channelID, turn.sessionID, {
        kind: 'notice',
        text: turnEndWords(outcome, reason),
      })
  })
}
