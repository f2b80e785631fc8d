import type { Transaction } from '../../store/store.ts'
import { cutOffWords } from '../../tree/cut-off-words.ts'
import { messageOf } from '../../tree/error.ts'
import type { InboxItem, Incoming } from '../../tree/inbox.ts'
import type { Message } from '../../tree/message.ts'
import { replyWords } from '../../tree/reply-words.ts'
import { onOneLine } from '../../tree/text.ts'
import type { QueueParts } from './channel-queue.ts'
import { post } from './post.ts'

/**
 * Settles something whose prompt is stored, and whose process has left it behind: as its turn went. One that is still open is
 * stopped, and looked at again.
 */
export async function resolveLeft(parts: QueueParts, item: InboxItem): Promise<void> {
  const { store } = parts
  const message = item.messageID && (await store.messages.get(item.messageID))
  const turn = message ? await store.turns.ofPrompt(message.id) : null
  if (message && turn?.outcome === null) {
    await parts.abort(message.sessionID)
    return
  }
  await store.transaction(async (tx) => {
    if ((await tx.inbox.get(item.id))?.state !== 'running') return
    const isFinished = turn?.outcome === 'finished'
    await tx.inbox.end(item.id, isFinished ? 'done' : 'failed', isFinished ? null : cutOff)
    if (!message) return
    const { channelID } = item
    const { sessionID } = message
    const shown = turn ? await tx.links.showing(turn.id) : []
    const text = isFinished || shown.length > 0 ? await answerTo(tx, message) : ''
    if (turn && (text !== '' || shown.length > 0))
      await post(tx, parts, channelID, sessionID, {
        kind: 'message',
        text,
        reply: { turnID: turn.id, shown },
      })
    if (!isFinished)
      await post(tx, parts, channelID, sessionID, { kind: 'notice', text: cutOffWords(message.text) })
  })
}

/** Tells the person that something which nobody waited for could not be done. */
export async function tellFailure(parts: QueueParts, item: InboxItem, error: unknown): Promise<void> {
  const what = wordsFor(item.what)
  if (what === null) return
  const reason = messageOf(error)
  await parts.store.transaction(async (tx) => {
    const channel = await tx.channels.get(item.channelID)
    if (!channel) return
    const text = `${what} could not be done: ${reason}`
    await post(tx, parts, channel.id, channel.mainID, { kind: 'notice', text })
  })
}

function wordsFor(what: Incoming): string | null {
  switch (what.kind) {
    case 'message':
      return `“${onOneLine(what.text, 60)}”`
    case 'schedule':
      return `“${onOneLine(what.prompt, 60)}”`
    case 'fork':
      return 'The fork'
    case 'click':
      return 'What the button asks for'
    // The fork itself tells.
    case 'exit':
    case 'idle':
      return null
  }
}

const cutOff = 'The process that ran it is gone.'

// Nobody knows whether it was shown.
async function answerTo(tx: Transaction, { sessionID, seq }: Message): Promise<string> {
  const said: Message[] = []
  for (let from = seq + 1; ; from += batch) {
    const messages = await tx.messages.range({ sessionID, from, to: from + batch - 1 })
    const next = messages.findIndex(({ role }) => role === 'user')
    said.push(...(next === -1 ? messages : messages.slice(0, next)))
    if (next !== -1 || messages.length < batch) return replyWords(said)
  }
}

/** So many messages are read at once. */
const batch = 100
