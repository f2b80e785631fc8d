import type { ChannelFrontEnd } from '../../tree/front-end.ts'
import { shortID } from '../../tree/ids.ts'
import { Interrupt } from '../interrupt.ts'
import type { Chat } from './chat.ts'
import { promptOf } from './chat-prompt.ts'
import { followPlace } from './follow-place.ts'
import { askLines, outgoingLines, replyable } from './outgoing-view.ts'
import { showTurn } from './show-turn.ts'

/** The chat as a place that shows a channel: what comes in by itself, whatever the person does meanwhile. */
export const frontEndOf = (chat: Chat): ChannelFrontEnd => ({
  async show(turn) {
    const interrupt = Interrupt.listen(['SIGINT'])
    interrupt.signal.addEventListener('abort', () => void chat.bough.abort(turn.sessionID))
    try {
      await showTurn(chat, turn, { interrupt, withPrompt: true })
    } finally {
      interrupt.stop()
    }
  },

  async send(what, id) {
    const message = replyable(what, id)
    if (message) chat.received.add(message)
    // The reply to a turn of another process is sent here, and is in the tree: it is shown once, with its prompt.
    if (what.kind === 'message' && (await chat.transcript.awaits(what.text))) await chat.transcript.catchUp()
    else chat.screen.print(...outgoingLines(what, shortID(id), chat.context.out.paint))
    if ((what.kind === 'entered' || what.kind === 'ended') && chat.input.isTyped) {
      await followPlace(chat)
      chat.input.renew(promptOf(chat.context, chat.transcript.session))
    }
    return id
  },

  // What was printed stays.
  async edit() {},

  async ask(permission) {
    chat.screen.print(...askLines(permission, chat.context.out.paint))
  },
})
