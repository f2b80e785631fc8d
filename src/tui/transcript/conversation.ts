import type { Bough } from '../../bough.ts'
import { messageOf } from '../../tree/error.ts'
import type { MessageID } from '../../tree/ids.ts'
import type { Message } from '../../tree/message.ts'
import type { Session } from '../../tree/session.ts'
import type { Turn, TurnEvent } from '../../tree/turn.ts'
import { rememberedWithCards } from '../side-forks/with-cards.ts'
import { grown } from './draft.ts'
import type { CardEntry, DraftEntry, Entry, MessageEntry, NoteEntry } from './entry.ts'
import { inPlace, withResults } from './message-entries.ts'

/** So many messages are read at once. */
const page = 100

/** Told what happens in a conversation. */
export interface Listener {
  changed(): void
  /** What the agent says has grown by a word or so: that comes hundreds of times a second. */
  grew(): void
}

/** A session as it is shown: what is in the tree, as far as it was loaded, and the turn that runs, in whichever process. */
export class Conversation {
  readonly #bough: Bough
  readonly #listener: Listener
  readonly #now: () => number
  readonly #known = new Map<MessageID, MessageEntry>()
  #session: Session
  readonly #withCards = rememberedWithCards()
  #entries: readonly Entry[] = []
  #cards: readonly CardEntry[] = []
  #draft: DraftEntry | null = null
  #last: {
    readonly entries: readonly Entry[]
    readonly draft: DraftEntry
    readonly all: readonly Entry[]
  } | null = null
  #turn: { readonly turn: Turn; readonly since: number } | null = null
  #oldest = 0
  /** The place right before the first message of its own. */
  #before = -1
  /** Up to that one none of its own is missing; those beyond it that are known. */
  #unbroken = 0
  readonly #ahead = new Set<number>()
  /** The number of the message whose order is 0; null until somebody has counted. */
  #base: number | null = null
  #hasOlder = true
  #loading: Promise<void> | null = null
  #notes = 0
  #isClosed = false

  /** With its newest messages; what runs is followed. */
  static async open(
    bough: Bough,
    session: Session,
    listener: Listener,
    now: () => number,
  ): Promise<Conversation> {
    const conversation = new Conversation(bough, session, listener, now)
    await conversation.#load()
    await conversation.refresh()
    return conversation
  }

  private constructor(bough: Bough, session: Session, listener: Listener, now: () => number) {
    this.#bough = bough
    this.#session = session
    this.#listener = listener
    this.#now = now
  }

  get session(): Session {
    return this.#session
  }

  /** Oldest first, the draft last. */
  get entries(): readonly Entry[] {
    const entries = this.#withCards(this.#entries, this.#cards, this.#hasOlder)
    const draft = this.#draft
    if (draft === null) return entries
    // Asked for many times in a frame.
    if (this.#last?.entries !== entries || this.#last.draft !== draft)
      this.#last = { entries, draft, all: [...entries, draft] }
    return this.#last.all
  }

  /** Nobody waits for what is above where nobody looks any more. */
  get hasOlder(): boolean {
    return this.#hasOlder && !this.#isClosed
  }

  get isRunning(): boolean {
    return this.#turn !== null
  }

  /** When the turn that runs began, as it was seen here. */
  get runningSince(): number | null {
    return this.#turn?.since ?? null
  }

  /** Its place on the line, counted from 1; null until somebody has counted. */
  numberOf({ order }: MessageEntry): number | null {
    return this.#base === null ? null : this.#base + order
  }

  /** Its newest message; null where it has none. */
  get newest(): Message | null {
    const found = this.#entries.findLast((entry) => entry.kind === 'message')
    return found?.kind === 'message' ? found.message : null
  }

  /** Which place on the line a message has, told by whoever has counted: so that of all is known. */
  count(id: MessageID, number: number): void {
    const entry = this.#known.get(id)
    if (entry) this.#base = number - entry.order
  }

  /** The messages before those that are loaded. */
  async loadOlder(): Promise<void> {
    if (this.hasOlder) await this.#load()
  }

  /** All messages back to one, which may be far above. */
  async loadBackTo(id: MessageID): Promise<void> {
    while (this.hasOlder && !this.#known.has(id)) await this.#load()
  }

  /** Takes in what has been added since, the session's own facts, and the turn that has begun. */
  async refresh(): Promise<void> {
    const session = await this.#bough.session(this.#session.id)
    if (this.#isClosed) return
    this.#session = session
    await this.#catchUp()
    if (session.state === 'running' && this.#turn === null) {
      const turn = await this.#bough.follow(session.id)
      if (turn) this.follow(turn)
    }
    this.#listener.changed()
  }

  /** Shows a turn as it runs; one that is shown already is not shown twice. */
  follow(turn: Turn): void {
    if (this.#isClosed || this.#turn?.turn.id === turn.id) return
    this.#turn = { turn, since: this.#now() }
    this.#add([turn.prompt])
    this.#listener.changed()
    void this.#watch(turn)
  }

  /** Gives what takes it away again. */
  note(tone: NoteEntry['tone'], text: string): () => void {
    this.#notes += 1
    const key = `note-${this.#notes}`
    this.#append({ kind: 'note', key, tone, text })
    return () => {
      this.#entries = this.#entries.filter((entry) => entry.key !== key)
      this.#listener.changed()
    }
  }

  /** Notes on how the session was given the line before it: they stand where its own messages begin. */
  noteAtBeginning(texts: readonly string[]): void {
    const { id } = this.#session
    const own = this.#entries.findIndex((entry) => entry.kind === 'message' && entry.message.sessionID === id)
    const notes = texts.map((text): NoteEntry => {
      this.#notes += 1
      return { kind: 'note', key: `note-${this.#notes}`, tone: 'dim', text }
    })
    const at = own === -1 ? this.#entries.length : own
    this.#entries = this.#entries.toSpliced(at, 0, ...notes)
    this.#listener.changed()
  }

  /** What was sent to the channel: each stands where it came. */
  set cards(cards: readonly CardEntry[]) {
    this.#cards = cards
    this.#listener.changed()
  }

  /** Nothing is taken in any more. */
  close(): void {
    this.#isClosed = true
  }

  #append(entry: Entry): void {
    this.#entries = [...this.#entries, entry]
    this.#listener.changed()
  }

  #load(): Promise<void> {
    this.#loading ??= this.#loadPage().finally(() => {
      this.#loading = null
    })
    return this.#loading
  }

  async #loadPage(): Promise<void> {
    const first = this.#entries.find((entry) => entry.kind === 'message')
    const before = first?.kind === 'message' ? { before: first.message.id } : {}
    const messages = await this.#bough.messages(this.#session.id, { limit: page, ...before })
    this.#hasOlder = messages.length === page
    if (first === undefined) this.#begin(messages)
    else this.#prepend(messages)
    this.#listener.changed()
  }

  async #catchUp(): Promise<void> {
    const { id } = this.#session
    let newest = await this.#bough.messages(id, { limit: page })
    // More than a page may have come, and the newest may be known already: what lies between is read, too.
    for (let first = newest[0]; first && this.#isBeyondGap(first); first = newest[0]) {
      const older = await this.#bough.messages(id, { limit: page, before: first.id })
      if (older.length === 0) break
      newest = [...older, ...newest]
    }
    if (!this.#isClosed) this.#add(newest)
  }

  #isBeyondGap({ sessionID, seq }: Message): boolean {
    return sessionID === this.#session.id && seq > this.#unbroken + 1
  }

  async #watch(turn: Turn): Promise<void> {
    try {
      for await (const event of turn.events) {
        if (this.#isClosed) return
        this.#take(event)
      }
    } catch (error) {
      this.note('bad', messageOf(error))
    }
    if (this.#isClosed || this.#turn?.turn.id !== turn.id) return
    this.#turn = null
    this.#draft = null
    await this.refresh().catch(() => this.#listener.changed())
  }

  #take(event: TurnEvent): void {
    switch (event.type) {
      case 'message':
        this.#add([event.message])
        this.#listener.changed()
        break
      case 'notice':
        this.note('warning', event.text)
        break
      // Who asks and how it ends is read from the store, for turns of other processes, too.
      case 'permission':
      case 'ended':
        break
      default:
        this.#draft = this.#known.has(event.messageID) ? null : grown(this.#draft, event)
        this.#listener.grew()
    }
  }

  /** The newest page. All that comes later are messages of its own: their places are counted from here. */
  #begin(messages: readonly Message[]): void {
    const last = messages.at(-1)
    const own = last?.sessionID === this.#session.id ? last.seq : 0
    this.#before = messages.length - 1 - own
    this.#unbroken = own
    const entries = messages.map((message, i) => this.#entryOf(message, i))
    this.#entries = withResults([...this.#entries, ...entries], messages)
    this.#remember()
  }

  /** What is known already stays; each comes to its place on the line, whichever is told first. */
  #add(messages: readonly Message[]): void {
    const { id: sessionID } = this.#session
    const added = messages.filter((each) => !this.#known.has(each.id) && each.sessionID === sessionID)
    if (added.length === 0) return
    const entries = added.map((message) => this.#entryOf(message, this.#before + message.seq))
    for (const { seq } of added) this.#ahead.add(seq)
    while (this.#ahead.delete(this.#unbroken + 1)) this.#unbroken += 1
    if (added.some(({ id }) => id === this.#draft?.key)) this.#draft = null
    this.#entries = withResults(inPlace(this.#entries, entries), added)
    this.#remember()
  }

  #prepend(messages: readonly Message[]): void {
    const entries = messages.map((message, i) => this.#entryOf(message, this.#oldest - messages.length + i))
    this.#oldest -= messages.length
    this.#entries = withResults([...entries, ...this.#entries], messages)
    this.#remember()
  }

  #entryOf(message: Message, order: number): MessageEntry {
    const entry: MessageEntry = { kind: 'message', key: message.id, message, order, results: [] }
    this.#known.set(message.id, entry)
    return entry
  }

  #remember(): void {
    for (const entry of this.#entries) if (entry.kind === 'message') this.#known.set(entry.key, entry)
  }
}
