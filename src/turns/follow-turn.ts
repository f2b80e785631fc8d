import type { Store } from '../store/store.ts'
import { Broadcast } from '../tree/broadcast.ts'
import { messageOf } from '../tree/error.ts'
import type { MessageID, PermissionID, SessionID, TurnID } from '../tree/ids.ts'
import type { Message } from '../tree/message.ts'
import { soonOnce } from '../tree/soon-once.ts'
import type { Turn, TurnEnd, TurnEvent, TurnRecord } from '../tree/turn.ts'
import { type Grown, growthOf } from './draft-growth.ts'
import { eachUnless } from './each-unless.ts'

/** The turn that runs in a session, or the one that is named, as the store tells of it; null where there is none. */
export async function followTurn(
  store: Store,
  closing: AbortSignal,
  sessionID: SessionID,
  turnID?: TurnID,
): Promise<Turn | null> {
  const turn = turnID === undefined ? await store.turns.running(sessionID) : await store.turns.get(turnID)
  if (turn?.sessionID !== sessionID) return null
  const prompt = await store.messages.get(turn.promptID)
  return prompt && new FollowedTurn(store, closing, turn.id, prompt)
}

/** So many messages are read at once. */
const batch = 100

/**
 * A turn that runs in another process, or is over, for whoever watches it here. Nothing is read before somebody wants to know,
 * and no longer than anybody does; who comes later is told from the beginning.
 *
 *   resting ⇄ looking ──▶ over
 */
class FollowedTurn implements Turn {
  readonly id: TurnID
  readonly sessionID: SessionID
  readonly prompt: Message
  readonly events: AsyncIterable<TurnEvent> = { [Symbol.asyncIterator]: () => this.#reader() }
  readonly #store: Store
  readonly #closing: AbortSignal
  readonly #told = new Broadcast<TurnEvent>()
  readonly #ended = Promise.withResolvers<TurnEnd>()
  readonly #asked = new Set<PermissionID>()
  readonly #look = soonOnce(() => this.#lookOnce())
  #readers = 0
  #endIsAwaited = false
  #isOver = false
  #stopLooking: (() => void) | null = null
  /** Where the message stands that has been told last. */
  #seq: number
  #growing: Grown | null = null

  constructor(store: Store, closing: AbortSignal, id: TurnID, prompt: Message) {
    this.id = id
    this.sessionID = prompt.sessionID
    this.prompt = prompt
    this.#store = store
    this.#closing = closing
    this.#seq = prompt.seq
    this.#told.emit({ type: 'message', message: prompt })
  }

  /** Never rejects. */
  get ended(): Promise<TurnEnd> {
    this.#endIsAwaited = true
    this.#begin()
    return this.#ended.promise
  }

  // Not a generator: who leaves one that waits is kept until something happens.
  #reader(): AsyncIterator<TurnEvent> {
    const events = this.#told[Symbol.asyncIterator]()
    const left = Promise.withResolvers<IteratorReturnResult<undefined>>()
    const unlessLeft = eachUnless(left.promise)
    let state: 'new' | 'reading' | 'done' = 'new'
    const leave = (): IteratorReturnResult<undefined> => {
      if (state === 'reading') this.#leave()
      state = 'done'
      const end = { done: true, value: undefined } as const
      left.resolve(end)
      return end
    }
    return {
      next: async () => {
        if (state === 'new') {
          state = 'reading'
          this.#readers += 1
          this.#begin()
        }
        const next = await unlessLeft(events.next())
        return next.done ? leave() : next
      },
      return: async () => leave(),
    }
  }

  #begin(): void {
    if (this.#closing.aborted) this.#end(closedHere)
    if (this.#stopLooking || this.#isOver) return
    const stopWatching = this.#store.watch(this.#look)
    const onClosing = () => this.#end(closedHere)
    this.#closing.addEventListener('abort', onClosing)
    this.#stopLooking = () => {
      stopWatching()
      this.#closing.removeEventListener('abort', onClosing)
      this.#stopLooking = null
    }
    this.#look()
  }

  #leave(): void {
    this.#readers -= 1
    if (this.#readers === 0 && !this.#endIsAwaited) this.#stopLooking?.()
  }

  async #lookOnce(): Promise<void> {
    try {
      if (this.#stopLooking) await this.#tellWhatIsNew()
    } catch (error) {
      this.#end({ outcome: 'interrupted', reason: messageOf(error) })
    }
  }

  // Between two reads others may commit. In this order what is read later has all that belongs before what was read first:
  // the call that a permission is asked for, and the last messages of a turn that has ended.
  async #tellWhatIsNew(): Promise<void> {
    const asked = await this.#store.permissions.asked()
    const turn = await this.#store.turns.get(this.id)
    const joined = await this.#tellMessages()
    if (this.#isOver) return
    const end = turn ? endOf(turn) : deleted
    if (end) return this.#end(end)
    if (turn?.draft && !joined.has(turn.draft.messageID)) this.#tellGrowth(turn.draft)
    for (const permission of asked) {
      if (permission.turnID !== this.id || this.#asked.has(permission.id)) continue
      this.#asked.add(permission.id)
      this.#told.emit({ type: 'permission', permission })
    }
  }

  /** Up to the next prompt, which is of another turn. */
  async #tellMessages(): Promise<ReadonlySet<MessageID>> {
    const joined = new Set<MessageID>()
    for (;;) {
      const from = this.#seq + 1
      const messages = await this.#store.messages.range({
        sessionID: this.sessionID,
        from,
        to: from + batch - 1,
      })
      for (const message of messages) {
        if (this.#isOver || message.role === 'user') return joined
        // Whoever shows only what streams has the whole of it, too.
        if (message.role === 'assistant' || message.role === 'tool')
          this.#tellGrowth({ messageID: message.id, parts: message.parts })
        this.#told.emit({ type: 'message', message })
        this.#seq = message.seq
        joined.add(message.id)
      }
      if (messages.length < batch) return joined
    }
  }

  #tellGrowth(now: Grown): void {
    for (const event of growthOf(this.#growing, now)) this.#told.emit(event)
    this.#growing = now
  }

  #end(end: TurnEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stopLooking?.()
    this.#told.emit({ type: 'ended', end })
    this.#told.end()
    this.#ended.resolve(end)
  }
}

const endOf = ({ outcome, reason }: TurnRecord): TurnEnd | null => outcome && { outcome, reason }

const deleted: TurnEnd = { outcome: 'interrupted', reason: 'The session was deleted.' }

const closedHere: TurnEnd = {
  outcome: 'interrupted',
  reason: 'bough was closed here before the turn was over. Where it runs, it goes on.',
}
