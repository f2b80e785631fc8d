import type { Context } from '../context.ts'
import { Interrupt } from '../interrupt.ts'
import { showMessageID } from '../message-view.ts'
import { announce, askPerson } from '../permission-question.ts'
import { plainLine } from '../plain-text.ts'
import { runTurn } from '../run-turn.ts'
import { TurnView } from '../turn-view.ts'
import type { Chat } from './chat.ts'

/** One turn of the chat. Ctrl-C interrupts it; a signal to end interrupts it and then ends the chat. */
export async function sendLine(chat: Chat, text: string): Promise<void> {
  const { context, bough, input, transcript } = chat
  const { out, err, interactive } = context
  await transcript.catchUp()

  const interrupt = Interrupt.listen()
  const view = new TurnView({ text: out, notes: out, status: err, ids: true })
  const ask = interactive
    ? askPerson(bough, err, (question, signal) =>
        input.ask(question, { signal, onInterrupt: interrupt.press }),
      )
    : announce(err)
  try {
    const { messages, end } = await runTurn(bough, transcript.session.id, text, {
      signal: interrupt.signal,
      status: err,
      ask,
      onPrompt: async (prompt) => {
        // While it waited its place, others went on.
        await transcript.catchUp(prompt)
        out.line(showMessageID(prompt, out.paint))
      },
      show: (event) => view.show(event),
    })
    view.close()
    const last = messages.at(-1)
    if (last) transcript.seen(last)
    if (end.outcome !== 'finished') out.line(whyItEnded(context, end.outcome, end.reason))
  } finally {
    view.close()
    interrupt.stop()
  }
}

const whyItEnded = ({ out }: Context, outcome: 'interrupted' | 'failed', reason: string | null): string =>
  out.paint(
    'yellow',
    `The turn ${outcome === 'failed' ? 'failed' : 'was interrupted'}${reason ? `: ${plainLine(reason)}` : '.'}`,
  )
