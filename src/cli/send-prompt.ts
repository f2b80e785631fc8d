import type { Bough } from '../bough.ts'
import type { Message } from '../tree/message.ts'
import { plainLine } from '../tree/plain-text.ts'
import type { Session } from '../tree/session.ts'
import { turnEndWords } from '../tree/turn-end-words.ts'
import { handOverRuns } from './comeback/hand-over-runs.ts'
import type { ExitCode } from './command.ts'
import type { Context } from './context.ts'
import { Interrupt } from './interrupt.ts'
import { LineInput } from './line-input.ts'
import { type Asker, announce, askPerson } from './permission-question.ts'
import { runTurn } from './run-turn.ts'
import { tellIfUntrusted } from './trust-words.ts'
import { TurnView } from './turn-view.ts'

export interface Sent {
  /** What the turn added, the prompt first; empty when it never began. */
  readonly messages: readonly Message[]
  readonly exitCode: ExitCode
}

/** Runs one turn for a command: the reply streamed unless `silent`, Ctrl-C interrupts, a permission asked. */
export async function sendPrompt(
  context: Context,
  bough: Bough,
  session: Session,
  text: string,
  { silent }: { silent: boolean },
): Promise<Sent> {
  const { out, err } = context
  const interrupt = Interrupt.listen()
  // Nobody reads the reply any more (`bough send … | head`): an agent must not work on for nobody.
  if (!silent) out.onClosed(interrupt.press)
  await tellIfUntrusted(context, bough, session)
  const view = silent ? null : new TurnView({ text: out, notes: err, status: err, ids: false })
  try {
    const { messages: shown, end } = await runTurn(bough, session.id, text, {
      signal: interrupt.signal,
      status: err,
      ask: askerOf(context, bough, interrupt),
      show: (event) => view?.show(event),
    })
    view?.close()
    const messages = silent ? await asStored(bough, session, shown) : shown
    await handOverRuns(context, bough)
    if (end.outcome === 'finished') return { messages, exitCode: 0 }
    err.line(`bough: ${turnEndWords(end.outcome, end.reason && plainLine(end.reason))}`)
    return { messages, exitCode: interrupt.exitCode ?? 1 }
  } catch (error) {
    view?.close()
    if (interrupt.exitCode === null) throw error
    err.line('bough: interrupted before the turn began; nothing was sent.')
    return { messages: [], exitCode: interrupt.exitCode }
  } finally {
    interrupt.stop()
  }
}

// What is noted on a message after it was shown (its snapshot) belongs to it, too.
async function asStored(
  bough: Bough,
  { id }: Session,
  shown: readonly Message[],
): Promise<readonly Message[]> {
  const stored = new Map(
    (await bough.messages(id, { limit: 2 * shown.length })).map((each) => [each.id, each]),
  )
  return shown.map((each) => stored.get(each.id) ?? each)
}

function askerOf(context: Context, bough: Bough, interrupt: Interrupt): Asker {
  const { interactive, stdin, err } = context
  if (!interactive) return announce(context)
  return askPerson(bough, err, async (question, signal) => {
    const input = LineInput.open(stdin, err.stream)
    try {
      return await input.ask(question, { signal, onInterrupt: interrupt.press })
    } finally {
      input.close()
    }
  })
}
