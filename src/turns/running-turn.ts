import type { AgentEvent, Connection } from '../agents/driver.ts'
import type { Store, Transaction } from '../store/store.ts'
import { Broadcast } from '../tree/broadcast.ts'
import { BoughError, hasCode, messageOf } from '../tree/error.ts'
import type { Clock, Ids, MessageID, SessionID, TurnID } from '../tree/ids.ts'
import { type Author, type Message, type NewMessage, type Part, promptOf } from '../tree/message.ts'
import type { Permission } from '../tree/permission.ts'
import type { Snapshot } from '../tree/snapshot.ts'
import { titleFromPrompt } from '../tree/title.ts'
import type { TurnEnd, TurnEvent } from '../tree/turn.ts'
import type { Usage } from '../tree/usage.ts'
import { addMessages } from './add-messages.ts'
import { closeLeftTurn, closeTurn } from './close-turn.ts'
import { cutOffAfter, untilCutOff } from './cut-off.ts'
import { DraftMessage } from './draft.ts'
import { DraftSaver } from './draft-saver.ts'
import { TouchedFiles } from './touched-files.ts'

// One prompt and everything the agent does until it stops.
//
//   stored ──▶ streaming ──▶ ended: finished | interrupted | failed
//
// The prompt is durable before the agent sees it. Every write is conditional on the owner's epoch: a turn whose session
// was taken over writes nothing more and ends here as interrupted, while the new owner has closed it in the store.

export interface TurnParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
  readonly sessionID: SessionID
  /** Throws when the session has changed hands: every write of the turn begins with it. */
  fence(tx: Transaction): Promise<void>
  /** Throws when the turn may not begin after all. */
  mayBegin(tx: Transaction): Promise<void>
  /** Whether the agent's own history has the prompt, where nobody could tell what became of it. */
  isHeld(prompt: Message): Promise<boolean>
  /** Called when the turn is closed in the tree and before anybody is told, with its last message. */
  onClosed(last: Message): Promise<void>
}

/** What an agent is told. */
export interface Prompt {
  /** The person's words; empty where bough alone has something to say. */
  readonly text: string
  /** Who wrote them, where it was not the person. */
  readonly author?: Author | undefined
  /**
   * What bough puts before them, in the transaction that stores them: so it is said exactly once. The notes are a part of it.
   */
  before?(tx: Transaction, messageID: MessageID, notes: readonly string[]): Promise<string | null>
}

export interface Ran {
  readonly end: TurnEnd
  /** Whether its end could be stored. */
  readonly stored: boolean
  /** The agent itself said that the turn is over: it waits for the next. */
  readonly agentIsReady: boolean
}

export class RunningTurn {
  readonly id: TurnID
  readonly sessionID: SessionID
  readonly prompt: Message
  readonly events = new Broadcast<TurnEvent>()
  /** Until capturing its files has failed once: the second try would take as long, and tell the same. */
  capturesFiles = true
  /** The files as it found them. */
  found: Snapshot | null = null
  readonly touched = new TouchedFiles()
  readonly #parts: TurnParts
  readonly #abort = new AbortController()
  readonly #ended = Promise.withResolvers<TurnEnd>()
  readonly #draft: DraftMessage
  #last: Message
  /** The last entry of the agent's own history that belongs to the turn, once that is known. */
  #lastEntry: string | null = null
  /** What the agent booked on none of its messages. */
  #rest: Usage | null = null
  #agentIsReady = false
  /** An entry of its own history is known. */
  #isKnown = false
  readonly #saving: DraftSaver

  /** Stores the prompt and begins the turn in the tree. */
  static async begin(
    parts: TurnParts,
    { text, author, before }: Prompt,
    notes: readonly string[] = [],
  ): Promise<RunningTurn> {
    const { store, ids, clock, sessionID } = parts
    const id = ids.turn()
    const prompt = { id: ids.message(), role: 'user', status: 'complete', created: clock() } as const
    const stored = await store.transaction(async (tx) => {
      await parts.fence(tx)
      await parts.mayBegin(tx)
      await closeLeftTurn(tx, sessionID, neverClosed, { ids, now: clock() })
      const context = (await before?.(tx, prompt.id, notes)) ?? null
      const said: Part[] = [
        ...(context === null ? [] : [{ type: 'context' as const, text: context }]),
        ...(text === '' ? [] : [{ type: 'text' as const, text, ...(author && { author }) }]),
      ]
      const [message] = await addMessages(tx, sessionID, [{ ...prompt, parts: said }])
      const title = titleFromPrompt(text)
      if (title !== null && (await tx.sessions.nameIfUntitled(sessionID, title))) {
        tx.record({ kind: 'session.updated', sessionID })
      }
      await tx.sessions.touch(sessionID, clock())
      await tx.turns.insert({ id, sessionID, promptID: prompt.id, started: clock() })
      tx.record({ kind: 'turn.started', sessionID, subjectID: id })
      return message
    })
    if (!stored) throw new BoughError('bad_input', 'The prompt could not be stored. Try again.')
    return new RunningTurn(id, stored, parts)
  }

  private constructor(id: TurnID, prompt: Message, parts: TurnParts) {
    this.id = id
    this.prompt = prompt
    this.#last = prompt
    this.sessionID = parts.sessionID
    this.#parts = parts
    this.#draft = new DraftMessage(parts.ids)
    this.#saving = new DraftSaver(
      () => this.#saveDraft(),
      (error) => this.abort(messageOf(error)),
    )
    this.events.emit({ type: 'message', message: prompt })
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Never rejects. */
  get ended(): Promise<TurnEnd> {
    return this.#ended.promise
  }

  /** Tells who watches that the agent asks for something. */
  readonly announce = (permission: Permission): void => this.events.emit({ type: 'permission', permission })

  abort(reason: string): void {
    this.#abort.abort(reason)
  }

  /** Sends the prompt to the agent and stores what comes back. */
  async run(connect: () => Promise<Connection>): Promise<Ran> {
    let [end, stored]: [TurnEnd | null, boolean] = [null, false]
    try {
      end = await this.#converse(connect)
      await this.#close(end)
      stored = true
    } catch (error) {
      // Lost, or the store itself failed: whoever holds the session closes the turn.
      end = { outcome: 'interrupted', reason: messageOf(error) }
    }
    this.events.emit({ type: 'ended', end })
    this.events.end()
    this.#ended.resolve(end)
    return { end, stored, agentIsReady: this.#agentIsReady }
  }

  async #converse(connect: () => Promise<Connection>): Promise<TurnEnd> {
    const cutOff = cutOffAfter(this.signal)
    try {
      const connection = await Promise.race([connect(), cutOff.promise])
      if (!connection || this.signal.aborted) return this.#interrupted()
      for await (const event of untilCutOff(
        connection.send(promptOf(this.prompt.parts), this.signal),
        cutOff.promise,
      )) {
        const end = await this.#take(event)
        if (end) return end
      }
      return this.signal.aborted
        ? this.#interrupted()
        : { outcome: 'failed', reason: 'The agent stopped without finishing.' }
    } catch (error) {
      if (hasCode(error, 'ownership_lost')) throw error
      if (this.signal.aborted) return this.#interrupted()
      return { outcome: 'failed', reason: messageOf(error) }
    } finally {
      cutOff.forget()
    }
  }

  async #take(event: AgentEvent): Promise<TurnEnd | null> {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        this.#draft.add(event)
        this.events.emit({ type: event.type, messageID: this.#draft.id, text: event.text })
        this.#saving.soon()
        return null
      case 'tool-call':
        this.touched.called(event.callID)
        this.#draft.add(event)
        this.events.emit({ type: 'tool-call', messageID: this.#draft.id, call: event })
        this.#saving.soon()
        return null
      case 'tool-result':
        this.#draft.add(event)
        this.events.emit({ type: 'tool-result', messageID: this.#draft.id, result: event })
        this.#saving.soon()
        return null
      case 'message-finished':
        await this.#storeMessage(event)
        return null
      case 'native-session':
        await this.#parts.store.transaction(async (tx) => {
          await this.#parts.fence(tx)
          await tx.sessions.bindNative(this.sessionID, event.nativeID)
        })
        return null
      case 'notice':
        this.events.emit({ type: 'notice', text: event.text })
        return null
      case 'turn-finished':
        this.#agentIsReady = true
        this.#lastEntry = event.nativeID ?? null
        this.#isKnown ||= event.nativeID !== undefined
        this.#rest = event.usage ?? null
        return event.reason === 'done' ? { outcome: 'finished', reason: null } : this.#interrupted()
      case 'error':
        this.#lastEntry = event.nativeID ?? null
        this.#isKnown ||= event.nativeID !== undefined
        this.#rest = event.usage ?? null
        return { outcome: 'failed', reason: event.message }
    }
  }

  async #storeMessage({
    nativeID,
    usage,
    interrupted = false,
  }: Extract<AgentEvent, { type: 'message-finished' }>): Promise<void> {
    await this.#saving.stop()
    const draft = this.#draft.current()
    if (!draft) return
    const { store, clock } = this.#parts
    const message: NewMessage = {
      id: draft.messageID,
      role: draft.role,
      parts: draft.parts,
      status: interrupted ? 'interrupted' : 'complete',
      created: clock(),
      nativeID: nativeID ?? null,
      usage: usage ?? null,
    }
    const stored = await store.transaction(async (tx) => {
      await this.#parts.fence(tx)
      await tx.turns.saveDraft(this.id, null)
      return addMessages(tx, this.sessionID, [message])
    })
    this.#isKnown ||= nativeID !== undefined
    // Only now: what could not be stored stays in the draft, and is closed with the turn.
    this.#draft.startNext()
    this.#tell(stored)
  }

  async #close(end: TurnEnd): Promise<void> {
    await this.#saving.stop()
    const { store, ids, clock } = this.#parts
    const isInDoubt = end.outcome !== 'finished' && !this.#isKnown
    const isHeld = isInDoubt && (await this.#parts.isHeld(this.prompt))
    // Where it ended with a message of the agent's, that one has it.
    const lastEntry = this.#lastEntry === this.#last.nativeID ? null : this.#lastEntry
    const at = { ids, now: clock(), lastEntry, rest: this.#rest }
    const stored = await store.transaction(async (tx) => {
      await this.#parts.fence(tx)
      // What it was to tell the agent was told, or waits again.
      if (isHeld) await tx.updates.settle(this.prompt.id)
      else if (isInDoubt) await tx.updates.takeBack(this.prompt.id)
      const turn = await tx.turns.get(this.id)
      return turn ? closeTurn(tx, { ...turn, draft: this.#draft.current() }, end, at) : []
    })
    this.#tell(stored)
    await this.#parts.onClosed(this.#last)
  }

  #tell(messages: readonly Message[]): void {
    for (const message of messages) {
      this.#last = message
      this.events.emit({ type: 'message', message })
    }
  }

  #interrupted(): TurnEnd {
    return {
      outcome: 'interrupted',
      reason: typeof this.signal.reason === 'string' ? this.signal.reason : 'The agent stopped.',
    }
  }

  async #saveDraft(): Promise<void> {
    await this.#parts.store.transaction(async (tx) => {
      await this.#parts.fence(tx)
      await tx.turns.saveDraft(this.id, this.#draft.current())
    }, 'relaxed')
  }
}

const neverClosed: TurnEnd = { outcome: 'interrupted', reason: 'Its end could not be stored.' }
