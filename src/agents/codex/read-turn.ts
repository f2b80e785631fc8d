import type { MessageStatus, Part, Role, ToolCallPart } from '../../tree/message.ts'
import type { NativeMessage } from '../../tree/native.ts'
import { messageParts } from '../../tree/prompts.ts'
import { cutOffOutput } from '../../tree/stand-in-output.ts'
import { openCallsAfter } from '../../tree/tool-group.ts'
import { noUsage } from '../../tree/usage.ts'
import type { AgentEvent } from '../driver.ts'
import { failureOf } from './failure.ts'
import type { StoredItem, StoredTurn, UserInput } from './protocol.ts'
import { toolUseOf } from './tool-items.ts'
import { Transcript } from './transcript.ts'

// Codex keeps the items of a turn that were completed, but not where a response of the model ended, nor what it used.
// They go through the same transcript as the items of a turn that runs, and a response is taken to end where something
// begins after all of its calls have ended.

/** A turn that is over, as the messages that would be stored had it run here. */
export function messagesOf(turn: StoredTurn): readonly NativeMessage[] {
  const reader = new TurnReader(turn)
  for (const item of turn.items) if (item) reader.take(item)
  reader.end()
  const last = reader.messages.length - 1
  return reader.messages.map((message, i) => ({ ...message, nativeID: i === last ? turn.id : null }))
}

class TurnReader {
  readonly messages: NativeMessage[] = []
  readonly #turn: StoredTurn
  readonly #transcript = new Transcript(() => null)
  #parts: readonly Part[] = []
  #openCalls: readonly ToolCallPart[] = []
  /** When the last call of the response ended; null while it has called nothing. */
  #callsEnded: number | null = null
  #now: number

  constructor(turn: StoredTurn) {
    this.#turn = turn
    this.#now = (turn.startedAt ?? 0) * 1000
  }

  take(item: StoredItem): void {
    const isPrompt = item.type === 'userMessage'
    if (isPrompt || this.#beginsNextResponse(item)) this.#finishResponse()
    this.#now = Math.max(this.#now, item.completedAtMs ?? 0)
    if (isPrompt) {
      for (const text of promptsIn(item.content)) this.#add('user', messageParts(text))
      return
    }
    const isRunning = 'status' in item && item.status === 'inProgress'
    const method = isRunning ? 'item/started' : 'item/completed'
    this.#hear(this.#transcript.take({ method, params: { threadId: '', turnId: this.#turn.id, item } }))
    if (toolUseOf(item)) this.#callsEnded = Math.max(this.#callsEnded ?? 0, item.completedAtMs ?? 0)
  }

  /** What closes a turn that ends here closes this one: see `closeTurn`. */
  end(): void {
    const { status, error, completedAt } = this.#turn
    this.#now = Math.max(this.#now, (completedAt ?? 0) * 1000)
    if (status === 'completed') {
      this.#hear(this.#transcript.end())
      return
    }
    this.#finishResponse()
    const outcome = status === 'failed' ? 'failed' : 'interrupted'
    const lacking = this.#openCalls.map(({ callID, name }) => ({
      type: 'tool-result' as const,
      callID,
      name,
      output: cutOffOutput,
      exitCode: 1,
    }))
    if (lacking.length > 0) this.#add('tool', lacking, outcome)
    if (outcome === 'failed') this.#add('error', [{ type: 'text', text: failureOf(error) }], outcome)
    else this.#add('system', [{ type: 'notice', text: 'Interrupted.' }], outcome)
  }

  #beginsNextResponse(item: StoredItem): boolean {
    if (this.#callsEnded === null) return false
    // Where no times are kept, calls in a row are taken for one response's.
    return item.startedAtMs ? item.startedAtMs > this.#callsEnded : toolUseOf(item) === null
  }

  #finishResponse(): void {
    this.#callsEnded = null
    this.#hear(this.#transcript.used(noUsage))
    this.#hear(this.#transcript.breakOff())
  }

  #hear(events: Iterable<AgentEvent>): void {
    for (const event of events) {
      switch (event.type) {
        case 'text':
        case 'reasoning':
        case 'tool-call':
        case 'tool-result':
          this.#parts = joined(this.#parts, event)
          break
        case 'message-finished': {
          const isOfTool = this.#parts.some(({ type }) => type === 'tool-result')
          this.#add(isOfTool ? 'tool' : 'assistant', this.#parts)
          this.#parts = []
        }
      }
    }
  }

  #add(role: Role, parts: readonly Part[], status: MessageStatus = 'complete'): void {
    this.#openCalls = openCallsAfter(this.#openCalls, parts)
    this.messages.push({ role, parts, status, created: this.#now, usage: null })
  }
}

/** Pieces of one kind in a row are one part. */
function joined(
  parts: readonly Part[],
  piece: Extract<AgentEvent, { type: 'text' | 'reasoning' | 'tool-call' | 'tool-result' }>,
): readonly Part[] {
  const last = parts.at(-1)
  const goesOn =
    (piece.type === 'text' && last?.type === 'text') ||
    (piece.type === 'reasoning' && last?.type === 'reasoning')
  return goesOn ? [...parts.slice(0, -1), { ...last, text: last.text + piece.text }] : [...parts, piece]
}

/** Each text is a prompt of its own: bough sends those that Codex has not got with the next. The rest is only named. */
function promptsIn(content: readonly UserInput[]): readonly string[] {
  const texts = content.flatMap(({ text }) => text ?? [])
  const attached = content
    .filter(({ text }) => typeof text !== 'string')
    .map(({ type, path, url }) => `[${type}: ${path ?? url?.slice(0, 100) ?? ''}]`)
  if (attached.length === 0) return texts
  return [...texts.slice(0, -1), [...texts.slice(-1), ...attached].join('\n')]
}
