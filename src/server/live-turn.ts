import type { MessageID, SessionID, TurnID } from '../tree/ids.ts'
import { type Part, resultsOf } from '../tree/message.ts'
import type { Draft, Turn, TurnEvent } from '../tree/turn.ts'

/** What of a turn is live only: it is in no durable change, or not yet. */
export type LiveEvent = Exclude<TurnEvent, { type: 'message' | 'ended' }>

/**
 * A turn that runs, for those who read all events. It gathers what comes in one go, so that whoever comes late, and the
 * beginning of a turn that is followed late, cost one event for each part.
 */
export class LiveTurn {
  readonly id: TurnID
  readonly sessionID: SessionID
  readonly #tell: (event: LiveEvent) => void
  #draft: Draft | null = null
  #gathered: LiveEvent[] = []
  /** The message of which something was told. */
  #told: MessageID | null = null
  #flushing: NodeJS.Immediate | null = null

  constructor(turn: Turn, tell: (event: LiveEvent) => void) {
    this.id = turn.id
    this.sessionID = turn.sessionID
    this.#tell = tell
  }

  /** What the message that streams has so far. */
  get draft(): Draft | null {
    return this.#draft
  }

  /** Resolves when the turn is over. */
  async follow(events: AsyncIterable<TurnEvent>): Promise<void> {
    for await (const event of events) this.#take(event)
    this.flush()
  }

  /** Tells what was gathered. */
  flush(): void {
    if (this.#flushing) clearImmediate(this.#flushing)
    this.#flushing = null
    const gathered = this.#gathered
    this.#gathered = []
    for (const event of gathered) {
      if ('messageID' in event) this.#told = event.messageID
      this.#tell(event)
    }
  }

  #take(event: TurnEvent): void {
    if (event.type === 'ended') return
    if (event.type === 'message') this.#finish(event.message.id)
    else this.#gather(event)
  }

  #gather(event: LiveEvent): void {
    const last = this.#gathered.at(-1)
    if (
      last &&
      isText(last) &&
      isText(event) &&
      last.type === event.type &&
      last.messageID === event.messageID
    )
      this.#gathered[this.#gathered.length - 1] = { ...last, text: last.text + event.text }
    else this.#gathered.push(event)
    this.#draft = withEvent(this.#draft, event)
    this.#flushing ??= setImmediate(() => this.flush())
  }

  // All of a message is told, or nothing: one that was there at once is read from the store.
  #finish(messageID: MessageID): void {
    if (this.#told === messageID) this.flush()
    else this.#gathered = this.#gathered.filter((each) => !isOf(each, messageID))
    if (this.#draft?.messageID === messageID) this.#draft = null
  }
}

const isOf = (event: LiveEvent, messageID: MessageID): boolean =>
  'messageID' in event && event.messageID === messageID

type TextEvent = Extract<LiveEvent, { type: 'text' | 'reasoning' }>

const isText = (event: LiveEvent): event is TextEvent => event.type === 'text' || event.type === 'reasoning'

function withEvent(draft: Draft | null, event: LiveEvent): Draft | null {
  if (!('messageID' in event)) return draft
  const { messageID } = event
  const parts = withPart(draft?.messageID === messageID ? draft.parts : [], event)
  return { messageID, role: resultsOf(parts).length > 0 ? 'tool' : 'assistant', parts }
}

function withPart(parts: readonly Part[], event: Extract<LiveEvent, { messageID: string }>): readonly Part[] {
  if (event.type === 'tool-call') return [...parts, event.call]
  if (event.type === 'tool-result') return [...parts, event.result]
  const last = parts.at(-1)
  if (last?.type !== event.type) return [...parts, { type: event.type, text: event.text }]
  return [...parts.slice(0, -1), { type: event.type, text: last.text + event.text }]
}
