import type { Bough } from '../../bough.ts'
import type { Paint } from '../../tree/drawn/paint.ts'
import { type SessionID, shortID } from '../../tree/ids.ts'
import type { Message } from '../../tree/message.ts'
import { plainLine } from '../../tree/plain-text.ts'
import { replyWords } from '../../tree/reply-words.ts'
import type { Session } from '../../tree/session.ts'
import { showMessage } from '../message-view.ts'
import { mostOfSeed, reopenedLines } from '../reopened-view.ts'
import type { Screen } from './screen.ts'

const shownOnOpening = 6
const mostCaughtUp = 200

/** The session that the chat is in, and how far the person has seen it. */
export class Transcript {
  readonly #bough: Bough
  readonly #screen: Screen
  readonly #paint: Paint
  readonly #lastOf = new Map<SessionID, Message | null>()
  #session: Session
  #last: Message | null = null

  static async open(bough: Bough, screen: Screen, paint: Paint, session: Session): Promise<Transcript> {
    const transcript = new Transcript(bough, screen, paint, session)
    await transcript.reopen(session)
    return transcript
  }

  private constructor(bough: Bough, screen: Screen, paint: Paint, session: Session) {
    this.#bough = bough
    this.#screen = screen
    this.#paint = paint
    this.#session = session
  }

  get session(): Session {
    return this.#session
  }

  /** Goes to a session and shows its last few messages. */
  async enter(session: Session): Promise<void> {
    // A turn that runs is shown as it runs.
    const running = await this.#bough.follow(session.id)
    const messages = await this.#bough.messages(session.id, {
      limit: shownOnOpening,
      ...(running && { before: running.prompt.id }),
    })
    this.#session = session
    this.#last = null
    this.#screen.print(
      `${this.#paint('bold', plainLine(session.title))} ${this.#paint('dim', factsOf(session))}`,
    )
    this.#show(messages)
  }

  /** Goes to a session that may have gone on elsewhere: what is known of it is shown at once, then what is new. */
  async reopen(session: Session): Promise<void> {
    await this.enter(session)
    const reopened = await this.#bough.reopen(session.id)
    const view = { now: Date.now(), paint: this.#paint, most: mostOfSeed }
    for (const line of reopenedLines(session, reopened, view)) this.#screen.print(line)
    if (reopened.added > 0) await this.catchUp()
  }

  /** Goes to a session without a word: what was said there before somebody went there is not shown. */
  async follow(session: Session): Promise<void> {
    const known = this.#lastOf.get(session.id)
    const last = known ?? (await this.#bough.messages(session.id, { limit: 1 })).at(-1) ?? null
    this.#lastOf.set(this.#session.id, this.#last)
    this.#session = session
    this.#last = last
  }

  /** What the person has just watched need not be shown again. */
  seen(message: Message): void {
    this.#last = message
  }

  /** Of a message of a turn of this session. */
  hasSeen({ id }: Message): boolean {
    return this.#last !== null && id <= this.#last.id
  }

  /** Shows what other processes added since, before `prompt` if one is given, and learns of a new title. */
  async catchUp(prompt?: Message): Promise<void> {
    this.#session = await this.#bough.session(this.#session.id)
    this.#show(await this.#unseen(prompt))
  }

  /** Whether a text is what the agent said here in a turn of another process, that is not shown yet. */
  async awaits(text: string): Promise<boolean> {
    const words = replyWords(await this.#unseen())
    return words !== '' && words === text
  }

  async #unseen(prompt?: Message): Promise<readonly Message[]> {
    const page = { limit: mostCaughtUp, ...(prompt && { before: prompt.id }) }
    const newest = await this.#bough.messages(this.#session.id, page)
    // Going somewhere without a word, one may come into the middle of the turn.
    if (prompt && this.hasSeen(prompt)) return []
    const known = newest.findIndex(({ id }) => id === this.#last?.id)
    return newest.slice(known + 1)
  }

  #show(messages: readonly Message[]): void {
    const view = { now: Date.now(), paint: this.#paint }
    for (const message of messages) this.#screen.print(`${showMessage(message, view)}\n`)
    this.#last = messages.at(-1) ?? this.#last
  }
}

const factsOf = ({ id, agent, directory }: Session): string =>
  `${shortID(id)} · ${plainLine(agent)} · ${plainLine(directory)}`
