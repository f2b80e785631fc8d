import type { Message } from '../../tree/message.ts'
import { plainLine, plainText } from '../../tree/plain-text.ts'
import type { Turn, TurnEnd, TurnEvent } from '../../tree/turn.ts'
import { turnEndWords } from '../../tree/turn-end-words.ts'
import type { Interrupt } from '../interrupt.ts'
import { showMessage, showMessageID } from '../message-view.ts'
import { announce, askPerson } from '../permission-question.ts'
import { followTurn } from '../run-turn.ts'
import type { Chat } from './chat.ts'
import { followPlace } from './follow-place.ts'
import { askLines } from './outgoing-view.ts'

export interface TurnShowing {
  readonly interrupt: Interrupt
  /** Whether the person has not typed the prompt here, so that it is shown, too. */
  readonly withPrompt: boolean
}

/** Shows a turn to its end: as it streams, or message by message above the line that somebody types. */
export function showTurn(chat: Chat, turn: Turn, showing: TurnShowing): Promise<void> {
  return chat.screen.inTurn(async () => {
    // While it waited its place, others went on.
    if (!(await followPlace(chat, turn.sessionID))) await chat.transcript.catchUp(turn.prompt)
    chat.transcript.seen(turn.prompt)
    showPrompt(chat, turn.prompt, showing)
    const end = chat.input.isTyped ? await showAbove(chat, turn) : await stream(chat, turn, showing)
    if (end.outcome !== 'finished') {
      const words = turnEndWords(end.outcome, end.reason ? plainLine(end.reason) : null)
      chat.screen.print(chat.context.out.paint('yellow', words))
    }
  })
}

// What a fork says can be replied to when it is over.
async function link({ bough, place, received }: Chat, { id, sessionID, role, text }: Message): Promise<void> {
  if (role !== 'assistant' || text === '') return
  received.add({ id, text, buttons: [] })
  await bough.link(place.channel.id, id, sessionID)
}

function showPrompt({ context: { out }, screen }: Chat, prompt: Message, { withPrompt }: TurnShowing): void {
  const view = { now: Date.now(), paint: out.paint }
  // One of bough's own notes alone is nobody's message.
  if (prompt.text !== '')
    screen.print(withPrompt ? `${showMessage(prompt, view)}\n` : showMessageID(prompt, out.paint))
}

async function stream(chat: Chat, turn: Turn, { interrupt }: TurnShowing): Promise<TurnEnd> {
  const { context, bough, input, screen, transcript } = chat
  const ask = context.interactive
    ? askPerson(bough, context.err, (question, signal) =>
        input.ask(question, { signal, onInterrupt: interrupt.press }),
      )
    : announce(context)
  await screen.stream(async (view) => {
    const { messages } = await followTurn(turn, { ask, show: (event) => view.show(event) })
    const last = messages.at(-1)
    if (last) transcript.seen(last)
    for (const message of messages) await link(chat, message)
  })
  return turn.ended
}

async function showAbove(chat: Chat, turn: Turn): Promise<TurnEnd> {
  for await (const event of turn.events) {
    for (const line of linesOf(chat, event)) chat.screen.print(line)
    if (event.type === 'message') await link(chat, event.message)
  }
  return turn.ended
}

function linesOf({ context: { out }, transcript }: Chat, event: TurnEvent): readonly string[] {
  if (event.type === 'notice') return [out.paint('yellow', plainText(event.text))]
  if (event.type === 'permission') return askLines(event.permission, out.paint)
  if (event.type !== 'message' || transcript.hasSeen(event.message)) return []
  transcript.seen(event.message)
  return [`${showMessage(event.message, { now: Date.now(), paint: out.paint })}\n`]
}
