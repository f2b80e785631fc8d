import type { TurnEvent } from '../tree/turn.ts'

/**
 * Lets each thing that happens in a turn pass once, although whoever comes back to a turn is told of it from its beginning,
 * in other pieces perhaps.
 */
export class TurnReplay {
  readonly #seen = new Set<string>()
  readonly #lengths = new Map<string, number>()
  /** How far it has been told this time. */
  #replayed = new Map<string, number>()

  /** It is told from the beginning once more. */
  startOver(): void {
    this.#replayed = new Map()
  }

  /** What of an event is new; null when nothing is. */
  newIn(event: TurnEvent): TurnEvent | null {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        return this.#newText(event)
      case 'tool-call':
        return this.#once(event, event.call.callID)
      case 'tool-result':
        return this.#once(event, event.result.callID)
      case 'permission':
        return this.#once(event, event.permission.id)
      case 'message':
        return this.#once(event, event.message.id)
      case 'notice':
        return this.#once(event, `${this.#countOf(event.text)} ${event.text}`)
      case 'ended':
        return event
    }
  }

  #newText(event: Extract<TurnEvent, { type: 'text' | 'reasoning' }>): TurnEvent | null {
    const key = `${event.type} ${event.messageID}`
    const before = this.#replayed.get(key) ?? 0
    const known = this.#lengths.get(key) ?? 0
    const now = before + event.text.length
    this.#replayed.set(key, now)
    if (now <= known || this.#seen.has(`message ${event.messageID}`)) return null
    this.#lengths.set(key, now)
    return { ...event, text: event.text.slice(Math.max(known - before, 0)) }
  }

  /** The same words may be said several times in a turn: which time it is. */
  #countOf(notice: string): number {
    const key = `notice ${notice}`
    const times = (this.#replayed.get(key) ?? 0) + 1
    this.#replayed.set(key, times)
    return times
  }

  #once(event: TurnEvent, id: string): TurnEvent | null {
    const key = `${event.type} ${id}`
    if (this.#seen.has(key)) return null
    this.#seen.add(key)
    return event
  }
}
