import { isOfAnotherFrontEnd } from '../../tree/channel.ts'
import type { ChannelFrontEnd } from '../../tree/front-end.ts'
import { shortID } from '../../tree/ids.ts'
import type { Turn } from '../../tree/turn.ts'
import { abortOn } from '../abort-on.ts'
import { Interrupt } from '../interrupt.ts'
import type { Chat } from './chat.ts'
import { promptOf } from './chat-prompt.ts'
import { followPlace } from './follow-place.ts'
import { askLines, outgoingLines, replyable } from './outgoing-view.ts'
import { showTurn } from './show-turn.ts'

/** Shows a turn that the person has not begun here; Ctrl-C interrupts it, wherever it runs. */
export async function showOthersTurn(chat: Chat, turn: Turn): Promise<void> {
  const interrupt = Interrupt.listen(['SIGINT'])
  abortOn(interrupt.signal, chat.context, chat.bough, turn.sessionID)
  try {
    await showTurn(chat, turn, { interrupt, withPrompt: true })
  } finally {
    interrupt.stop()
  }
}

/** The chat as a place that shows a channel: what comes in by itself, whatever the person does meanwhile. */
export const frontEndOf = (chat: Chat): ChannelFrontEnd => ({
  get isGuest() {
    return isOfAnotherFrontEnd(chat.place.channel)
  },

  show: (turn) => showOthersTurn(chat, turn),

  async send(what, id, sessionID) {
    const message = replyable(what, id)
    if (message) chat.received.add(message)
    if (what.kind === 'message' && (await chat.elsewhere.hasShown(sessionID, what.text))) return id
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
    if (!chat.elsewhere.isShown(permission.turnID))
      chat.screen.print(...askLines(permission, chat.context.out.paint))
  },
})
