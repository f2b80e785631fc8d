import { messageOf } from '../../tree/error.ts'
import type { Json } from '../../tree/message.ts'
import type { Usage } from '../../tree/usage.ts'
import type { AgentEvent } from '../driver.ts'
import { MessageQueue } from '../message-queue.ts'
import type { AppServer } from './app-server.ts'
import { endCommands } from './background-terminals.ts'
import { writtenEndOf } from './command-end.ts'
import { failureOf, retryNotice } from './failure.ts'
import { type Notification, turnReply } from './protocol.ts'
import type { Transcript } from './transcript.ts'
import type { UsageMeter } from './usage-meter.ts'

// A turn goes: asked for ──▶ started ──▶ prompt noted ──▶ completed, interrupted or failed · the server ended.
// One that is interrupted before its prompt is noted would lose it: such a wish waits until then.

export interface TurnParts {
  readonly server: AppServer
  readonly threadID: string
  /** Of the request that starts it. */
  readonly params: Json
  readonly transcript: Transcript
  readonly meter: UsageMeter
  readonly signal: AbortSignal
  /** Milliseconds until it is given up when Codex tells nothing: of a model API that never answers it says nothing. */
  readonly patience: number
}

/** How long a server that is told to stop a silent turn may take. */
const timeToStop = 5_000

export class Turn {
  readonly #parts: TurnParts
  readonly #inbox = new MessageQueue<Notification>()
  readonly #over = Promise.withResolvers<void>()
  readonly #stopping = new AbortController()
  #startedID: string | null = null
  #isPromptNoted = false
  #isOver = false
  #serverEnd: string | null = null
  #silence: NodeJS.Timeout | null = null
  #isGivenUp = false

  constructor(parts: TurnParts) {
    this.#parts = parts
    this.#waitAnew()
    parts.signal.addEventListener('abort', this.stop)
    if (parts.signal.aborted) this.stop()
  }

  /** Aborts when the turn is to stop. */
  get signal(): AbortSignal {
    return this.#stopping.signal
  }

  /** Resolves when Codex does nothing more for it. */
  get over(): Promise<void> {
    return this.#over.promise
  }

  async *events(): AsyncGenerator<AgentEvent> {
    const { server, threadID, params } = this.#parts
    let id: string
    try {
      const reply = await Promise.race([server.request('turn/start', params), this.#over.promise])
      if (reply === undefined) throw new Error(this.#serverEnd ?? 'Codex did not begin.')
      id = turnReply.parse(reply).turn.id
    } catch (error) {
      this.#end()
      yield {
        type: 'error',
        message: messageOf(error),
      }
      return
    }
    yield { type: 'native-session', nativeID: threadID }
    for await (const notification of this.#inbox) {
      if (turnOf(notification) === id) yield* this.#take(notification)
    }
    if (this.#serverEnd === null) return
    yield* this.#parts.transcript.breakOff()
    yield { type: 'error', message: this.#serverEnd }
  }

  told(notification: Notification): void {
    this.#inbox.push(notification)
    this.#waitAnew()
    if (notification.method === 'turn/started') this.#startedID = notification.params.turn.id
    if (notification.method === 'item/completed' && notification.params.item.type === 'userMessage') {
      this.#isPromptNoted = true
      if (this.signal.aborted) this.#interruptOnceNoted()
    }
    if (notification.method === 'turn/completed' && notification.params.turn.id === this.#startedID)
      this.#end()
  }

  /** Something that was used for it elsewhere. */
  spent(usage: Usage): void {
    this.#parts.transcript.spent(usage)
  }

  serverEnded(why: string): void {
    this.#serverEnd = why
    this.#end()
  }

  /** Interrupts it, if it has not ended by then. */
  readonly stop = (): void => {
    if (this.#isOver) return
    this.#stopping.abort()
    this.#interruptOnceNoted()
  }

  #interruptOnceNoted(): void {
    if (this.#startedID === null || !this.#isPromptNoted) return
    const { server, threadID } = this.#parts
    // One that ends by itself at this moment cannot be interrupted any more, which is as good.
    void server.request('turn/interrupt', { threadId: threadID, turnId: this.#startedID }).catch(() => {})
  }

  // A command may run for hours, and a person think about it.
  #waitAnew(): void {
    if (this.#silence) clearTimeout(this.#silence)
    // What comes in one piece with its end is told after it.
    if (this.#isOver) return
    this.#silence = setTimeout(() => {
      if (this.#parts.transcript.openCalls.size > 0) return this.#waitAnew()
      this.#isGivenUp = true
      this.stop()
      this.#silence = setTimeout(() => this.serverEnded(silent(this.#parts.patience)), timeToStop).unref()
    }, this.#parts.patience).unref()
  }

  #end(): void {
    this.#isOver = true
    if (this.#silence) clearTimeout(this.#silence)
    this.#parts.signal.removeEventListener('abort', this.stop)
    this.#inbox.end()
    this.#over.resolve()
  }

  async *#take(notification: Notification): AsyncGenerator<AgentEvent> {
    const { transcript, meter } = this.#parts
    switch (notification.method) {
      case 'thread/tokenUsage/updated': {
        const usage = meter.read(notification.params.tokenUsage)
        if (usage) yield* transcript.used(usage)
        return
      }
      case 'error':
        if (!notification.params.willRetry) return
        yield* transcript.retry()
        yield { type: 'notice', text: retryNotice(notification.params.error) }
        return
      case 'turn/completed':
        yield* this.#complete(notification.params.turn)
        return
      case 'item/started':
        await this.#noteEnds()
        yield* transcript.take(notification)
        return
      default:
        yield* transcript.take(notification)
    }
  }

  /** When the next response begins, calls without a result have ended untold, or run on in the background. */
  async #noteEnds(): Promise<void> {
    const { server, threadID, transcript } = this.#parts
    for (const callID of transcript.awaitedCalls) {
      // Where it cannot be read, nothing is known.
      const end = await writtenEndOf(server, threadID, callID).catch(() => null)
      if (end) transcript.ended(callID, end)
    }
  }

  async *#complete(
    turn: Extract<Notification, { method: 'turn/completed' }>['params']['turn'],
  ): AsyncGenerator<AgentEvent> {
    const { server, threadID, transcript } = this.#parts
    switch (turn.status) {
      case 'completed':
        await this.#noteEnds()
        yield* transcript.end()
        yield { type: 'turn-finished', reason: 'done', nativeID: turn.id }
        return
      case 'interrupted':
        // Where that fails they end with the thread.
        await endCommands(server, threadID, transcript.openCalls).catch(() => {})
        yield* transcript.breakOff()
        if (this.#isGivenUp) yield { type: 'error', message: silent(this.#parts.patience), nativeID: turn.id }
        else yield { type: 'turn-finished', reason: 'interrupted', nativeID: turn.id }
        return
      default:
        yield* transcript.breakOff()
        yield { type: 'error', message: failureOf(turn.error), nativeID: turn.id }
    }
  }
}

const silent = (patience: number): string =>
  `The model API has not answered for ${Math.ceil(patience / 1000)} s. Try again.`

function turnOf({ method, params }: Notification): string | null {
  if (method === 'turn/started' || method === 'turn/completed') return params.turn.id
  return 'turnId' in params ? params.turnId : null
}
