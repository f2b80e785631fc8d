import type { AgentEvent } from '../../agents/driver.ts'
import type { Clock, Ids } from '../../tree/ids.ts'
import type { NewMessage } from '../../tree/message.ts'
import { textOf } from '../../tree/message.ts'
import { addUsage, noUsage, type Usage } from '../../tree/usage.ts'
import { DraftMessage } from '../draft.ts'
import { isAcknowledgement } from './seed.ts'

/** What an agent says to a seed. None of it is shown before it is known what it is. */
export class Reply {
  readonly #clock: Clock
  readonly #draft: DraftMessage
  readonly #messages: NewMessage[] = []
  /** The last entry of the agent's own history that belongs to it. */
  entry: string | null = null
  usage: Usage = noUsage
  /** Why it never came to its end; null when it did. */
  failure: string | null = 'The agent stopped without finishing.'

  constructor(ids: Ids, clock: Clock) {
    this.#clock = clock
    this.#draft = new DraftMessage(ids)
  }

  get messages(): readonly NewMessage[] {
    return this.#messages
  }

  /** It said that it is ready, and did nothing else. */
  get isAcknowledged(): boolean {
    const [only, ...others] = this.#messages
    if (!only || others.length > 0 || only.role !== 'assistant') return false
    return only.parts.every(({ type }) => type !== 'tool-call') && isAcknowledgement(textOf(only.parts))
  }

  /** All that it said so far, also what is not finished. */
  get text(): string {
    const drafted = this.#draft.current()?.parts ?? []
    return [...this.#messages.flatMap(({ parts }) => textOf(parts)), textOf(drafted)].join('\n').trim()
  }

  take(event: AgentEvent): void {
    switch (event.type) {
      case 'text':
      case 'reasoning':
      case 'tool-call':
      case 'tool-result':
        this.#draft.add(event)
        break
      case 'message-finished':
        this.#finish(event)
        break
      case 'turn-finished':
        this.failure = event.reason === 'done' ? null : 'It was interrupted.'
        this.#end(event)
        break
      case 'error':
        this.failure = event.message
        this.#end(event)
    }
  }

  #finish(event: Extract<AgentEvent, { type: 'message-finished' }>): void {
    const draft = this.#draft.current()
    this.#draft.startNext()
    this.#end(event)
    if (!draft) return
    const [nativeID, usage] = [event.nativeID ?? null, event.usage ?? null]
    const { messageID: id, role, parts } = draft
    const status = event.interrupted ? 'interrupted' : 'complete'
    this.#messages.push({ id, role, parts, status, created: this.#clock(), nativeID, usage })
  }

  #end({ nativeID, usage }: { readonly nativeID?: string; readonly usage?: Usage }): void {
    this.entry = nativeID ?? this.entry
    if (usage) this.usage = addUsage(this.usage, usage)
  }
}
