import type { Bough } from '../../bough.ts'
import type { Channel } from '../../tree/channel.ts'
import type { ChannelFrontEnd } from '../../tree/front-end.ts'
import type { SessionID } from '../../tree/ids.ts'
import type { Session } from '../../tree/session.ts'

/** The channel that the chat is in. It is in one at a time. */
export class Place {
  readonly #bough: Bough
  #channel: Channel
  #leave: (() => Promise<void>) | null = null

  static async of(bough: Bough, session: Session): Promise<Place> {
    return new Place(bough, await bough.channelOf(session.id))
  }

  private constructor(bough: Bough, channel: Channel) {
    this.#bough = bough
    this.#channel = channel
  }

  get channel(): Channel {
    return this.#channel
  }

  /** Shows the channel here from now on. */
  async attend(frontEnd: ChannelFrontEnd): Promise<void> {
    this.#leave = await this.#bough.attend(this.#channel.id, frontEnd)
  }

  /** Leaves it for that of another session, unless that is the same. */
  async move(session: Session, frontEnd: ChannelFrontEnd): Promise<void> {
    const channel = await this.#bough.channelOf(session.id)
    if (channel.id === this.#channel.id) return
    await this.leave()
    this.#channel = channel
    await this.attend(frontEnd)
  }

  /** Where what is typed goes, as it is now: to the fork that is open, else to main. */
  async whereTo(): Promise<SessionID> {
    this.#channel = await this.#bough.channel(this.#channel.id)
    return this.#channel.openForkID ?? this.#channel.mainID
  }

  async leave(): Promise<void> {
    const leave = this.#leave
    this.#leave = null
    await leave?.()
  }
}
