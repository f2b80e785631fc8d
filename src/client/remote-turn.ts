import type * as z from 'zod/mini'
import { Broadcast } from '../tree/broadcast.ts'
import { messageOf } from '../tree/error.ts'
import type { Turn, TurnEnd, TurnEvent } from '../tree/turn.ts'
import { turnRoutes as routes, type turnStream } from '../wire/routes/turns.ts'
import { Backoff } from './backoff.ts'
import type { Http } from './http.ts'
import { isAway } from './is-away.ts'
import { TurnReplay } from './turn-replay.ts'

export type TurnStream = AsyncIterable<z.output<typeof turnStream>>
export type TurnFacts = Pick<Turn, 'id' | 'sessionID' | 'prompt'>

/** A turn that runs in a server. When the connection breaks it comes back, and nothing is told twice. */
export class RemoteTurn implements Turn {
  readonly id: Turn['id']
  readonly sessionID: Turn['sessionID']
  readonly prompt: Turn['prompt']
  readonly #http: Http
  readonly #told = new Broadcast<TurnEvent>()
  readonly #replay = new TurnReplay()
  #ended: Promise<TurnEnd> | null = null

  /** `stream` is what was opened already; otherwise it is opened when somebody wants to know. */
  constructor(http: Http, { id, sessionID, prompt }: TurnFacts, stream?: TurnStream) {
    this.#http = http
    this.id = id
    this.sessionID = sessionID
    this.prompt = prompt
    if (stream) this.#ended = this.#follow(stream)
  }

  get events(): AsyncIterable<TurnEvent> {
    return {
      [Symbol.asyncIterator]: () => {
        this.#ended ??= this.#follow(undefined)
        return this.#told[Symbol.asyncIterator]()
      },
    }
  }

  get ended(): Promise<TurnEnd> {
    this.#ended ??= this.#follow(undefined)
    return this.#ended
  }

  async #follow(stream: TurnStream | undefined): Promise<TurnEnd> {
    const end = await this.#read(stream).catch(
      (error): TurnEnd => ({
        outcome: 'interrupted',
        reason: messageOf(error),
      }),
    )
    this.#told.emit({ type: 'ended', end })
    this.#told.end()
    return end
  }

  async #read(opened: TurnStream | undefined): Promise<TurnEnd> {
    const backoff = new Backoff(this.#http.closing)
    let stream = opened
    for (;;) {
      try {
        stream ??= await this.#http.open(routes.follow, {
          params: { id: this.sessionID },
          query: { turnID: this.id },
        })
        for await (const event of stream) {
          backoff.reset()
          if (event.type === 'turn') continue
          if (event.type === 'ended') return event.end
          const news = this.#replay.newIn(event)
          if (news) this.#told.emit(news)
        }
      } catch (error) {
        // It has worked: somebody was told of this turn.
        if (!isAway(error, true)) throw error
      }
      // It broke off: the turn goes on, or somebody has closed it.
      stream = undefined
      this.#replay.startOver()
      await backoff.wait()
    }
  }
}
