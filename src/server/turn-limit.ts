import { BoughError } from '../tree/error.ts'

/** How many turns run at once for those who come in over HTTP. */
export class TurnLimit {
  readonly #most: number
  #running = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Begins a turn, which takes a place until it is over; throws when there is none. */
  async begin<T extends { readonly ended: Promise<unknown> }>(begin: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most)
      throw new BoughError(
        'too_many_turns',
        `${this.#most} turns run already, or wait for their place. Wait until one is over, or set server.turns.`,
      )
    this.#running++
    try {
      const turn = await begin()
      const leave = () => this.#running--
      turn.ended.then(leave, leave)
      return turn
    } catch (error) {
      this.#running--
      throw error
    }
  }

  /** Does something that runs a turn by itself, and takes a place until it is done. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const { ended } = await this.begin(async () => ({ ended: work() }))
    return ended
  }
}
