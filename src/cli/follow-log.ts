import type { Bough } from '../bough.ts'
import { toJson } from '../tree/json-text.ts'
import type { Message } from '../tree/message.ts'
import { plainLine } from '../tree/plain-text.ts'
import type { Session } from '../tree/session.ts'
import type { Turn } from '../tree/turn.ts'
import { turnEndWords } from '../tree/turn-end-words.ts'
import { untilSeen } from './comeback/until-seen.ts'
import type { ExitCode } from './command.ts'
import type { Context } from './context.ts'
import { Interrupt } from './interrupt.ts'
import { showMessage } from './message-view.ts'
import { announce } from './permission-question.ts'
import { followTurn } from './run-turn.ts'
import { TurnView } from './turn-view.ts'

/** Messages that are read at once, when some have come. */
const fewest = 20

/**
 * What happens in a session from now on: turns as they run, in whichever process, and messages that come in otherwise. Each
 * message is shown once: one of a turn that was over before anybody could watch it is shown as it is.
 */
export class LogFollower {
  readonly #context: Context
  readonly #bough: Bough
  readonly #session: Session
  readonly #asJson: boolean
  #lastSeq = 0
  #isFirst = true

  constructor(context: Context, bough: Bough, session: Session, { asJson }: { readonly asJson: boolean }) {
    this.#context = context
    this.#bough = bough
    this.#session = session
    this.#asJson = asJson
  }

  /** Neither this one nor those before it need to be shown any more. */
  seen({ sessionID, seq }: Message): void {
    this.#isFirst = false
    if (sessionID === this.#session.id) this.#lastSeq = Math.max(this.#lastSeq, seq)
  }

  /** Until Ctrl-C, or until nobody reads any more: that is how it is meant to end. The turn that runs goes on. */
  async follow(): Promise<ExitCode> {
    const interrupt = Interrupt.listen()
    this.#context.out.onClosed(interrupt.press)
    try {
      await untilSeen(this.#bough, interrupt.signal, async (event) => {
        if (event && event.kind !== 'reset' && event.sessionID !== this.#session.id) return null
        await this.#catchUp(interrupt.signal)
        return interrupt.signal.aborted ? true : null
      })
      return 0
    } finally {
      interrupt.stop()
    }
  }

  async #catchUp(signal: AbortSignal): Promise<void> {
    for (;;) {
      const running = await this.#bough.follow(this.#session.id)
      // One that began between two looks, so that its prompt was shown as a message, goes on message by message.
      const turn = running && !this.#hasSeen(running.prompt) ? running : null
      for (const message of await this.#unseen(turn?.prompt)) this.show(message)
      if (!turn || signal.aborted) return
      await Promise.race([this.#watch(turn, signal), whenAborted(signal)])
    }
  }

  /** Newer than what was shown last, oldest first; only those before `prompt`, if one is given. */
  async #unseen(prompt: Message | undefined): Promise<readonly Message[]> {
    for (let limit = fewest; ; limit *= 4) {
      const page = { limit, ...(prompt && { before: prompt.id }) }
      const newest = await this.#bough.messages(this.#session.id, page)
      const unseen = newest.filter((message) => !this.#hasSeen(message))
      if (unseen.length < newest.length || newest.length < limit) return unseen
    }
  }

  // What it inherited stood there before.
  #hasSeen({ sessionID, seq }: Message): boolean {
    return sessionID !== this.#session.id || seq <= this.#lastSeq
  }

  show(message: Message): void {
    const { out } = this.#context
    const view = { now: Date.now(), paint: out.paint }
    if (this.#asJson) out.line(toJson(message, 0))
    else out.line(`${this.#isFirst ? '' : '\n'}${showMessage(message, view)}`)
    this.seen(message)
  }

  async #watch(turn: Turn, signal: AbortSignal): Promise<void> {
    const { out, err } = this.#context
    this.show(turn.prompt)
    const view = this.#asJson ? null : new TurnView({ text: out, notes: out, status: err, ids: true })
    if (view) out.line()
    signal.addEventListener('abort', () => view?.close(), { once: true })
    const ask = announce(this.#context)
    const { end } = await followTurn(turn, {
      ask: (permission) => ask(permission, signal),
      show: (event) => {
        if (signal.aborted) return
        view?.show(event)
        if (event.type !== 'message' || this.#hasSeen(event.message)) return
        if (this.#asJson) this.show(event.message)
        else this.seen(event.message)
      },
    })
    view?.close()
    if (!signal.aborted && end.outcome !== 'finished')
      err.line(`bough: ${turnEndWords(end.outcome, end.reason && plainLine(end.reason))}`)
  }
}

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
