import { setImmediate } from 'node:timers/promises'
import type { Bough } from '../../bough.ts'
import type { Message } from '../../tree/message.ts'
import type { Conversation } from '../transcript/conversation.ts'
import type { MessageEntry } from '../transcript/entry.ts'
import { type Match, matchesIn, patternOf } from './found.ts'

/** So many messages are read at once. */
const page = 200

/** Milliseconds that it takes before others have their turn. */
const slice = 6

/** More are not counted. */
export const mostMatches = 10_000

/** Finds words in all messages of a session, the newest first, also in those that are not loaded, a little at a time. */
export class TranscriptSearch {
  readonly #bough: Bough
  readonly #conversation: Conversation
  readonly #changed: () => void
  /** What was read beyond the messages that were loaded, newest first. */
  readonly #older: Message[] = []
  #hasReadAll = false
  /** Up to which place of the conversation was searched, or is; null before that is known. */
  #searched: number | null = null
  #isAdding = false
  #run = 0
  #pattern: RegExp | null = null
  #matches: Match[] = []
  #isDone = true
  #going: Promise<void> = Promise.resolve()

  constructor(bough: Bough, conversation: Conversation, changed: () => void) {
    this.#bough = bough
    this.#conversation = conversation
    this.#changed = changed
  }

  get pattern(): RegExp | null {
    return this.#pattern
  }

  /** Newest first, as far as they are found. */
  get matches(): readonly Match[] {
    return this.#matches
  }

  get isDone(): boolean {
    return this.#isDone
  }

  /** Whether messages have come since, which `findNew` would search. */
  get hasNew(): boolean {
    return this.#pattern !== null && !this.#isAdding && this.#next().length > 0
  }

  /** Begins anew with another query; rejects when messages cannot be read. */
  async find(query: string): Promise<void> {
    this.#run += 1
    const run = this.#run
    this.#pattern = patternOf(query)
    this.#matches = []
    this.#isDone = this.#pattern === null
    this.#searched = null
    this.#changed()
    // One at a time reads: the one before stops at the next message.
    const before = this.#going
    const going = before.catch(() => {}).then(() => this.#search(run))
    this.#going = going
    await going
  }

  /** Searches what has come since, and only that. */
  async findNew(): Promise<void> {
    if (!this.hasNew) return
    const run = this.#run
    this.#isAdding = true
    try {
      for (let next = this.#next(); next.length > 0 && run === this.#run; next = this.#next()) {
        this.#addNew(next)
        this.#changed()
        await setImmediate()
      }
    } finally {
      this.#isAdding = false
    }
  }

  /** Nothing more is found. */
  stop(): void {
    this.#run += 1
  }

  #addNew(messages: readonly MessageEntry[]): void {
    const pattern = this.#pattern
    if (pattern === null) return
    const since = performance.now()
    const found: (readonly Match[])[] = []
    for (const { message, order } of messages) {
      found.push(matchesIn(message, pattern))
      this.#searched = order
      if (performance.now() - since > slice) break
    }
    this.#matches = [...found.reverse().flat(), ...this.#matches].slice(0, mostMatches)
  }

  /** The messages that come next on the line, oldest first. Those after one that is missing wait for it. */
  #next(): readonly MessageEntry[] {
    const searched = this.#searched
    if (searched === null) return []
    const { entries } = this.#conversation
    const next: MessageEntry[] = []
    for (let i = entries.length - 1; i >= 0; i--) {
      const entry = entries[i]
      if (entry?.kind !== 'message') continue
      if (entry.order <= searched) break
      next.push(entry)
    }
    return unbroken(next.reverse(), searched)
  }

  async #search(run: number): Promise<void> {
    if (run !== this.#run || this.#pattern === null) return
    try {
      await this.#findAll(run, this.#pattern)
    } finally {
      if (run === this.#run) {
        this.#isDone = true
        this.#changed()
      }
    }
  }

  async #findAll(run: number, pattern: RegExp): Promise<void> {
    let since = performance.now()
    for await (const message of this.#messages()) {
      if (run !== this.#run) return
      const found = matchesIn(message, pattern)
      const isFirst = this.#matches.length === 0
      this.#matches.push(...found.slice(0, mostMatches - this.#matches.length))
      if (this.#matches.length >= mostMatches) return
      if ((isFirst && found.length > 0) || performance.now() - since > slice) {
        this.#changed()
        await setImmediate()
        since = performance.now()
      }
    }
  }

  /** All messages of the session, newest first. */
  async *#messages(): AsyncGenerator<Message> {
    const entries = this.#conversation.entries.filter((entry) => entry.kind === 'message')
    const begun = unbroken(entries, (entries[0]?.order ?? 0) - 1)
    this.#searched = begun.at(-1)?.order ?? -1
    const loaded = begun.map(({ message }) => message)
    const known = new Set(loaded.map(({ id }) => id))
    yield* loaded.toReversed()
    let oldest = loaded[0]
    for (const message of this.#older) {
      if (!known.has(message.id)) yield message
      oldest = message
    }
    while (!this.#hasReadAll && oldest) {
      const read: readonly Message[] = await this.#bough.messages(this.#conversation.session.id, {
        limit: page,
        before: oldest.id,
      })
      this.#hasReadAll = read.length < page
      this.#older.push(...read.toReversed())
      yield* read.filter(({ id }) => !known.has(id)).toReversed()
      oldest = read[0] ?? oldest
    }
  }
}

/** Messages as far as none is missing between them, from the one after a place on. */
function unbroken(entries: readonly MessageEntry[], after: number): readonly MessageEntry[] {
  const gap = entries.findIndex(({ order }, i) => order !== after + 1 + i)
  return gap === -1 ? entries : entries.slice(0, gap)
}
