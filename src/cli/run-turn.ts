import type { Bough } from '../bough.ts'
import type { MessageID, SessionID } from '../tree/ids.ts'
import type { Message } from '../tree/message.ts'
import type { Turn, TurnEnd, TurnEvent } from '../tree/turn.ts'
import type { Output } from './output.ts'
import type { Asker } from './permission-question.ts'
import { withProgress } from './progress.ts'

export interface TurnRun {
  /** What the turn added to the tree, the prompt first. */
  readonly messages: readonly Message[]
  readonly end: TurnEnd
}

export interface TurnWatch {
  /** Aborting it interrupts the turn. */
  readonly signal: AbortSignal
  readonly status: Output
  readonly ask: Asker
  show(event: TurnEvent): void
}

/** Runs one turn to its end and hands everything that happens to whoever watches. */
export async function runTurn(bough: Bough, id: SessionID, text: string, watch: TurnWatch): Promise<TurnRun> {
  const { signal, status } = watch
  const sending = bough.send(id, text, { signal })
  const turn = await withProgress(status, 'getting the session ready', sending)
  return followTurn(turn, watch)
}

/** Follows a turn that runs to its end. */
export async function followTurn(turn: Turn, watch: Pick<TurnWatch, 'ask' | 'show'>): Promise<TurnRun> {
  const messages = new Map<MessageID, Message>([[turn.prompt.id, turn.prompt]])
  const over = new AbortController()
  let asking = Promise.resolve()
  for await (const event of turn.events) {
    watch.show(event)
    if (event.type === 'message') messages.set(event.message.id, event.message)
    // Not awaited here: the turn may end, or somebody else answer, while the question stands.
    if (event.type === 'permission') {
      const { permission } = event
      asking = asking.then(() => watch.ask(permission, over.signal))
      asking.catch(() => over.abort())
    }
  }
  over.abort()
  await asking
  return { messages: [...messages.values()], end: await turn.ended }
}
