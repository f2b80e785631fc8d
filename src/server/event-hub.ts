import { setImmediate as nextTick } from 'node:timers/promises'
import type { Bough } from '../bough.ts'
import type { Reset, TreeEvent } from '../tree/event.ts'
import type { SessionID, TurnID } from '../tree/ids.ts'
import { type EventStream, encodeEvent } from './event-stream.ts'
import { LiveTurn } from './live-turn.ts'

/** How many events are at hand for readers that come back; older ones are read from the store. */
const atHand = 2_000
/** How many events are handed out before others have their turn. */
const mostInOneGo = 200
/** Bytes that may wait for a reader before it is dropped. */
const mostWaiting = 1_000_000
/** Milliseconds in which a dropped reader can still take what was sent. */
const grace = 10_000

export interface ReadOptions {
  /** The number of the last event that it has seen; absent: from now. */
  readonly after?: number
  /** Only of these sessions. */
  readonly sessions?: ReadonlySet<SessionID>
  /** Also what streams just now. */
  readonly live: boolean
}

interface Reader extends ReadOptions {
  readonly stream: EventStream
  seq: number
  /** Bytes that may wait for it: what it was given when it joined is none of its slowness. */
  mostWaiting: number
}

interface Kept {
  readonly seq: number
  /** Null for what concerns all. */
  readonly sessionID: SessionID | null
  readonly encoded: string
}

/**
 * Hands all events to all who read them, from one look at the store. A reader first gets what it has missed, from the store
 * at its own pace; then what is at hand, and in the same moment it joins those who get what comes. Nobody waits for a reader:
 * one that is too slow is dropped, and can come back.
 */
export class EventHub {
  readonly #bough: Bough
  readonly #readers = new Set<Reader>()
  readonly #turns = new Map<TurnID, LiveTurn>()
  readonly #closing = new AbortController()
  /** Those who read what streams, also those who have yet to join. */
  #watching = 0
  #kept: Kept[] = []
  /** Everything after this number is kept, up to the number of the newest. */
  #from = 0
  #newest = 0
  #begun: Promise<void> | null = null

  constructor(bough: Bough) {
    this.#bough = bough
  }

  /** Resolves when the reader gets what comes; it goes on until the reader leaves. */
  async read(stream: EventStream, options: ReadOptions): Promise<void> {
    if (options.live) this.#watchUntil(stream.over)
    this.#begun ??= this.#begin()
    await this.#begun
    const reader: Reader = { ...options, stream, seq: options.after ?? this.#newest, mostWaiting }
    if (reader.seq > this.#newest) await this.#checkNumber(reader)
    // Who comes back knows by it that they are connected, though nothing may happen for long.
    stream.send({ kind: 'open', seq: reader.seq }, reader.seq)
    if (options.live) await this.#followRunning(options.sessions)
    while (reader.seq < this.#from && this.#goesOnFor(stream)) await this.#readStore(reader)
    if (!this.#goesOnFor(stream)) return stream.end()
    // From here on in one go: nothing can come in between.
    for (const kept of this.#kept) this.#give(reader, kept)
    if (options.live) this.#showDrafts(reader)
    reader.mostWaiting += stream.waiting
    this.#readers.add(reader)
    stream.over.addEventListener('abort', () => this.#readers.delete(reader))
  }

  close(): void {
    this.#closing.abort()
    for (const { stream } of this.#readers) stream.end()
  }

  async #begin(): Promise<void> {
    // A number that is yet to come is answered with the newest that there is.
    const events = this.#bough.events({ after: Number.MAX_SAFE_INTEGER, signal: this.#closing.signal })
    const begun = Promise.withResolvers<void>()
    void this.#pump(events, begun.resolve).then(
      () => this.close(),
      (error) => {
        this.#startOver()
        begun.reject(error)
      },
    )
    await begun.promise
  }

  // The store could not be read: who comes back begins anew, or is told why that is not possible.
  #startOver(): void {
    this.#begun = null
    for (const { stream } of this.#readers) stream.end()
  }

  #goesOnFor({ over }: EventStream): boolean {
    return this.#begun !== null && !this.#closing.signal.aborted && !over.aborted
  }

  #watchUntil(over: AbortSignal): void {
    if (over.aborted) return
    this.#watching++
    over.addEventListener('abort', () => this.#watching--, { once: true })
  }

  async #pump(events: AsyncIterable<TreeEvent | Reset>, onBegun: () => void): Promise<void> {
    let inOneGo = 0
    for await (const event of events) {
      this.#newest = event.seq
      if (event.kind === 'reset') this.#forget(event)
      else this.#keep(event)
      onBegun()
      // Many at once: what was written has to get on its way, or the quickest reader would seem slow.
      inOneGo = (inOneGo + 1) % mostInOneGo
      if (inOneGo === 0) await nextTick()
    }
  }

  // Also when it has slept for so long that events were missed.
  #forget(reset: Reset): void {
    this.#kept = []
    this.#from = reset.seq
    const kept = { seq: reset.seq, sessionID: null, encoded: encodeEvent(reset, reset.seq) }
    for (const reader of this.#readers) this.#give(reader, kept)
  }

  #keep(event: TreeEvent): void {
    const { seq, sessionID } = event
    const kept = { seq, sessionID, encoded: encodeEvent(event, seq) }
    this.#kept.push(kept)
    if (this.#kept.length > 2 * atHand) {
      this.#kept = this.#kept.slice(atHand)
      this.#from = (this.#kept[0]?.seq ?? seq) - 1
    }
    for (const reader of this.#readers) this.#give(reader, kept)
    if (event.kind === 'turn.started' && this.#watching > 0) void this.#follow(sessionID, event.subjectID)
  }

  /** A number that is not known here yet is from another store, or others were quicker to tell of it. */
  async #checkNumber(reader: Reader): Promise<void> {
    const { over } = reader.stream
    for await (const { seq } of this.#bough.events({ after: Number.MAX_SAFE_INTEGER, signal: over })) {
      const reset = { kind: 'reset', seq } as const
      if (reader.seq > seq) this.#give(reader, { seq, sessionID: null, encoded: encodeEvent(reset, seq) })
      return
    }
  }

  /** Reads from the store, at the pace of the reader, until what is left is at hand. */
  async #readStore(reader: Reader): Promise<void> {
    const { stream } = reader
    for await (const event of this.#bough.events({ after: reader.seq, signal: stream.over })) {
      const sessionID = event.kind === 'reset' ? null : event.sessionID
      this.#give(reader, { seq: event.seq, sessionID, encoded: encodeEvent(event, event.seq) })
      reader.seq = event.seq
      await stream.drained()
      if (reader.seq >= this.#from) return
    }
  }

  #give(reader: Reader, { seq, sessionID, encoded }: Kept): void {
    const isNew = seq > reader.seq || sessionID === null
    if (!isNew) return
    reader.seq = seq
    if (sessionID === null || wants(reader, sessionID)) this.#write(reader, encoded)
  }

  #write(reader: Reader, encoded: string): void {
    const { stream } = reader
    stream.write(encoded)
    if (stream.waiting <= reader.mostWaiting || !this.#readers.delete(reader)) return
    stream.send({
      kind: 'dropped',
      reason: 'Events came faster than they were read. Come back with Last-Event-ID: nothing is lost.',
    })
    stream.endWithin(grace)
  }

  async #followRunning(sessions: ReadonlySet<SessionID> | undefined): Promise<void> {
    const running = sessions ?? (await this.#bough.sessions({ state: 'running' })).map(({ id }) => id)
    await Promise.all([...running].map((id) => this.#follow(id)))
  }

  // Whatever goes wrong with it: the durable events tell how the turn went.
  async #follow(sessionID: SessionID, turnID?: TurnID): Promise<void> {
    const turn = await this.#bough.follow(sessionID, turnID).catch(() => null)
    if (!turn || this.#turns.has(turn.id)) return
    const live = new LiveTurn(turn, (event) => {
      const encoded = encodeEvent({ kind: 'live', sessionID, turnID: turn.id, event })
      for (const reader of this.#readers)
        if (reader.live && wants(reader, sessionID)) this.#write(reader, encoded)
    })
    this.#turns.set(turn.id, live)
    void live
      .follow(turn.events)
      .catch(() => {})
      .finally(() => this.#turns.delete(turn.id))
  }

  #showDrafts(reader: Reader): void {
    for (const live of this.#turns.values()) {
      live.flush()
      const { sessionID, id: turnID, draft } = live
      if (draft && wants(reader, sessionID)) reader.stream.send({ kind: 'draft', sessionID, turnID, draft })
    }
  }
}

const wants = ({ sessions }: ReadOptions, sessionID: SessionID): boolean =>
  sessions === undefined || sessions.has(sessionID)
