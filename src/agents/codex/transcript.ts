import { deniedOutput } from '../../tree/stand-in-output.ts'
import { addUsage, noUsage, type Usage } from '../../tree/usage.ts'
import type { AgentEvent } from '../driver.ts'
import type { ToolEnd } from '../tool-call.ts'
import type { Item, Notification } from './protocol.ts'
import { toolEndOf, toolUseOf } from './tool-items.ts'

// What Codex tells of a turn, as our events. A message of the assistant is one response of the model. Codex tells its
// pieces and its calls, mostly the results of these, and only then what it used, which is how its end is seen:
//
//   assistant: pieces, calls ──▶ usage: it is whole ──▶ finished when all calls have results, when the next response
//              begins, or with the turn
//   tool:      results are held until then, and follow as a message of their own
//
// A command that runs on in the background has no result when the next response begins: it is given one that says so.

type Result = Extract<AgentEvent, { type: 'tool-result' }>

export class Transcript {
  /** Why an item was denied, where it was. */
  readonly #denialOf: (itemID: string) => string | null
  /** Calls by their id, with their names; those without a result are open. */
  readonly #calls = new Map<string, string>()
  readonly #open = new Set<string>()
  #held: Result[] = []
  #saidSomething = false
  /** Of the response that streams, once it is whole; also of responses before it that said nothing. */
  #usage: Usage = noUsage
  #isWhole = false
  /** The item whose words come at the moment. */
  #speaking: { readonly itemID: string; readonly type: 'text' | 'reasoning' } | null = null
  /** Items whose words came in pieces, and those of them that are not complete. */
  readonly #streamed = new Set<string>()
  readonly #streaming = new Set<string>()

  constructor(denialOf: (itemID: string) => string | null) {
    this.#denialOf = denialOf
  }

  get openCalls(): ReadonlySet<string> {
    return this.#open
  }

  /** Calls without a result, of a response that is whole. */
  get awaitedCalls(): readonly string[] {
    return this.#isWhole ? [...this.#open] : []
  }

  /** A call has ended without Codex telling so. */
  ended(callID: string, end: ToolEnd): void {
    if (this.#open.has(callID)) this.#hold(callID, end)
  }

  *take(notification: Notification): Generator<AgentEvent> {
    switch (notification.method) {
      case 'item/agentMessage/delta':
      case 'item/plan/delta':
        yield* this.#stream('text', notification.params)
        return
      case 'item/reasoning/summaryTextDelta':
      case 'item/reasoning/textDelta':
        yield* this.#stream('reasoning', notification.params)
        return
      case 'item/reasoning/summaryPartAdded':
        if (this.#speaking?.type === 'reasoning') this.#speaking = { itemID: '', type: 'reasoning' }
        return
      case 'item/started':
        yield* this.#call(notification.params.item)
        return
      case 'item/completed':
        yield* this.#complete(notification.params.item)
    }
  }

  /** The response that streamed is whole, and has used this. */
  *used(usage: Usage): Generator<AgentEvent> {
    // One that is cut off in the middle has told nothing yet of what it used.
    if (this.#streaming.size > 0) return
    this.#usage = addUsage(this.#usage, usage)
    this.#isWhole = this.#saidSomething
    if (this.#isWhole && this.#open.size === 0) yield* this.#finish()
  }

  /** Booked with the next message that is finished. */
  spent(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage)
  }

  /** The response that streamed broke off, and Codex asks for it anew. */
  *retry(): Generator<AgentEvent> {
    if (this.#streaming.size > 0) yield* this.#finish()
  }

  /** The turn is done. */
  *end(): Generator<AgentEvent> {
    this.#leaveInBackground()
    yield* this.#finish()
  }

  /** The turn was cut off: what is left unfinished is for whoever reads on. */
  *breakOff(): Generator<AgentEvent> {
    if (this.#isWhole || this.#held.length > 0) yield* this.#finish()
  }

  *#stream(type: 'text' | 'reasoning', piece: { itemId: string; delta: string }): Generator<AgentEvent> {
    this.#streamed.add(piece.itemId)
    this.#streaming.add(piece.itemId)
    yield* this.#say(type, piece.itemId, piece.delta)
  }

  *#say(type: 'text' | 'reasoning', itemID: string, words: string): Generator<AgentEvent> {
    if (words === '') return
    yield* this.#beginNext()
    const isNewParagraph = this.#speaking?.type === type && this.#speaking.itemID !== itemID
    this.#speaking = { itemID, type }
    this.#saidSomething = true
    yield { type, text: isNewParagraph ? `\n\n${words}` : words }
  }

  *#call(item: Item): Generator<AgentEvent> {
    const use = toolUseOf(item)
    if (use === null || this.#calls.has(item.id)) return
    yield* this.#beginNext()
    this.#calls.set(item.id, use.name)
    this.#open.add(item.id)
    this.#speaking = null
    this.#saidSomething = true
    yield { type: 'tool-call', callID: item.id, ...use }
  }

  *#complete(item: Item): Generator<AgentEvent> {
    this.#streaming.delete(item.id)
    switch (item.type) {
      case 'agentMessage':
      case 'plan':
        if (!this.#streamed.has(item.id)) yield* this.#say('text', item.id, item.text)
        return
      case 'reasoning': {
        const words = (item.summary.length > 0 ? item.summary : item.content).join('\n\n')
        if (!this.#streamed.has(item.id)) yield* this.#say('reasoning', item.id, words)
        return
      }
      case 'contextCompaction':
        yield { type: 'notice', text: 'Codex summed up the earlier conversation, to make room.' }
        return
      default:
        yield* this.#call(item)
        if (!this.#open.has(item.id)) return
        this.#hold(item.id, this.#endOf(item))
        if (this.#isWhole && this.#open.size === 0) yield* this.#finish()
    }
  }

  #endOf(item: Item): ToolEnd {
    const reason = this.#denialOf(item.id)
    return reason === null ? toolEndOf(item) : { output: deniedOutput(reason), exitCode: 1 }
  }

  #hold(callID: string, { output, exitCode }: ToolEnd): void {
    this.#open.delete(callID)
    const name = this.#calls.get(callID) ?? 'tool'
    this.#held.push({ type: 'tool-result', callID, name, output, exitCode })
  }

  *#beginNext(): Generator<AgentEvent> {
    if (!this.#isWhole) return
    this.#leaveInBackground()
    yield* this.#finish()
  }

  #leaveInBackground(): void {
    for (const callID of this.#open)
      this.#hold(callID, { output: 'It runs on in the background.', exitCode: 0 })
  }

  *#finish(): Generator<AgentEvent> {
    if (this.#saidSomething) {
      const wasCutOff = !this.#isWhole && this.#streaming.size > 0
      yield {
        type: 'message-finished',
        ...(this.#usage !== noUsage && { usage: this.#usage }),
        ...(wasCutOff && { interrupted: true }),
      }
      this.#usage = noUsage
    }
    yield* this.#held
    if (this.#held.length > 0) yield { type: 'message-finished' }
    this.#held = []
    this.#saidSomething = false
    this.#isWhole = false
    this.#speaking = null
    this.#streaming.clear()
  }
}
