import type { Bough } from '../bough.ts'
import type { ChannelID, SessionID, TurnID } from '../tree/ids.ts'
import type { Content, Port } from './port.ts'

/** Posts messages, and notes whose each is. The owner may see one, and reply to it, before that is noted. */
export class Posting {
  readonly #bough: Pick<Bough, 'link'>
  readonly #port: Pick<Port, 'send'>
  readonly #channelID: ChannelID
  readonly #underWay = new Set<Promise<string>>()

  constructor(bough: Pick<Bough, 'link'>, port: Pick<Port, 'send'>, channelID: ChannelID) {
    this.#bough = bough
    this.#port = port
    this.#channelID = channelID
  }

  /** Posts a message of a session, which perhaps shows a turn; resolves with its id. */
  post(content: Content, nonce: string, sessionID: SessionID, turnID?: TurnID): Promise<string> {
    const posted = this.#post(content, nonce, sessionID, turnID)
    this.#underWay.add(posted)
    const over = () => void this.#underWay.delete(posted)
    posted.then(over, over)
    return posted
  }

  /** Resolves when it is known whose every message is that can be seen now. */
  async noted(): Promise<void> {
    await Promise.allSettled(this.#underWay)
  }

  async #post(content: Content, nonce: string, sessionID: SessionID, turnID?: TurnID): Promise<string> {
    const externalID = await this.#port.send(content, nonce)
    await this.#bough.link(this.#channelID, externalID, sessionID, turnID)
    return externalID
  }
}
