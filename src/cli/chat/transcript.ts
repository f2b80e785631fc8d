import type { Bough } from '../../bough.ts'
import { shortID } from '../../tree/ids.ts'
import type { Message } from '../../tree/message.ts'
import type { Session } from '../../tree/session.ts'
import { showMessage } from '../message-view.ts'
import type { Output } from '../output.ts'
import { plainLine } from '../plain-text.ts'
import { mostOfSeed, reopenedLines } from '../reopened-view.ts'

const shownOnOpening = 6
const mostCaughtUp = 200

/** The session that the chat is in, and how far the person has seen it. */
export class Transcript {
  readonly #bough: Bough
  readonly #out: Output
  #session: Session
  #last: Message | null = null

  static async open(bough: Bough, out: Output, session: Session): Promise<Transcript> {
    const transcript = new Transcript(bough, out, session)
    await transcript.reopen(session)
    return transcript
  }

  private constructor(bough: Bough, out: Output, session: Session) {
    this.#bough = bough
    this.#out = out
    this.#session = session
  }

  get session(): Session {
    return this.#session
  }

  /** Goes to a session and shows its last few messages. */
  async enter(session: Session): Promise<void> {
    const messages = await this.#bough.messages(session.id, { limit: shownOnOpening })
    this.#session = session
    this.#last = null
    this.#out.line(
      `${this.#out.paint('bold', plainLine(session.title))} ${this.#out.paint('dim', factsOf(session))}`,
    )
    this.#show(messages)
  }

  /** Goes to a session that may have gone on elsewhere: what is known of it is shown at once, then what is new. */
  async reopen(session: Session): Promise<void> {
    await this.enter(session)
    const reopened = await this.#bough.reopen(session.id)
    const view = { now: Date.now(), paint: this.#out.paint, most: mostOfSeed }
    for (const line of reopenedLines(session, reopened, view)) this.#out.line(line)
    if (reopened.added > 0) await this.catchUp()
  }

  /** What the person has just watched need not be shown again. */
  seen(message: Message): void {
    this.#last = message
  }

  /** Shows what other processes added since, before `prompt` if one is given, and learns of a new title. */
  async catchUp(prompt?: Message): Promise<void> {
    this.#session = await this.#bough.session(this.#session.id)
    const page = { limit: mostCaughtUp, ...(prompt && { before: prompt.id }) }
    const newest = await this.#bough.messages(this.#session.id, page)
    const known = newest.findIndex(({ id }) => id === this.#last?.id)
    this.#show(newest.slice(known + 1))
  }

  #show(messages: readonly Message[]): void {
    const view = { now: Date.now(), paint: this.#out.paint }
    for (const message of messages) this.#out.line(`${showMessage(message, view)}\n`)
    this.#last = messages.at(-1) ?? this.#last
  }
}

const factsOf = ({ id, agent, directory }: Session): string =>
  `${shortID(id)} · ${plainLine(agent)} · ${plainLine(directory)}`
