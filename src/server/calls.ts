import { BoughError } from '../tree/error.ts'
import type { EventStream } from './event-stream.ts'

export interface CallAnswer {
  readonly externalID?: string | null
  /** For a person: why the reader could not do it. */
  readonly failed?: string
}

/** What the server asks of those who read a stream: an event goes out, the answer comes back in a request of its own. */
export class Calls {
  readonly #open = new Map<string, PromiseWithResolvers<CallAnswer>>()
  #isClosed = false

  /** Sends an event that is a call; resolves with the answer, rejects when the reader has failed or is gone. */
  async make(stream: Pick<EventStream, 'over'>, send: (call: string) => void): Promise<CallAnswer> {
    const call = crypto.randomUUID()
    const answer = Promise.withResolvers<CallAnswer>()
    const leave = () => answer.reject(new BoughError('closed', 'Whoever was to show it is gone.'))
    this.#open.set(call, answer)
    stream.over.addEventListener('abort', leave)
    if (stream.over.aborted || this.#isClosed) leave()
    try {
      send(call)
      return await answer.promise
    } finally {
      stream.over.removeEventListener('abort', leave)
      this.#open.delete(call)
    }
  }

  /** Nobody waits for an answer any more. */
  close(): void {
    this.#isClosed = true
    for (const { reject } of this.#open.values()) reject(new BoughError('closed', 'The server is stopping.'))
  }

  answer(call: string, { failed, ...answer }: CallAnswer): void {
    const open = this.#open.get(call)
    if (!open) throw new BoughError('not_found', 'There is no such call, or it has been answered already.')
    if (failed === undefined) open.resolve(answer)
    else open.reject(new BoughError('closed', failed))
  }
}
