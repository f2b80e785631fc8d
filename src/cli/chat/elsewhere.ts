import type { Bough } from '../../bough.ts'
import type { SessionID, TurnID } from '../../tree/ids.ts'
import type { Message } from '../../tree/message.ts'
import { replyWords } from '../../tree/reply-words.ts'
import type { Turn } from '../../tree/turn.ts'

/**
 * The turn of another process that the chat has shown live. Where nobody showed it over there, its reply is sent to the channel
 * when it is over, and would be shown a second time.
 */
export class Elsewhere {
  readonly #bough: Bough
  #shown: { readonly turn: Turn; readonly words: Promise<string> } | null = null

  constructor(bough: Bough) {
    this.#bough = bough
  }

  /** This one is shown here. */
  shows(turn: Turn): void {
    if (this.#shown?.turn.id !== turn.id) this.#shown = { turn, words: messagesOf(turn).then(replyWords) }
  }

  /** Whether it is that one: what it asks is asked where it is shown. */
  isShown(turnID: TurnID): boolean {
    return this.#shown?.turn.id === turnID
  }

  /** Whether a message that is sent here is its reply. */
  async hasShown(sessionID: SessionID, text: string): Promise<boolean> {
    const shown = this.#shown
    // While it runs it has no reply yet: nobody has to wait for its end.
    if (shown?.turn.sessionID !== sessionID || (await this.#runs(shown.turn))) return false
    if ((await shown.words) !== text) return false
    this.#shown = null
    return true
  }

  async #runs({ id, sessionID }: Turn): Promise<boolean> {
    const { state } = await this.#bough.session(sessionID)
    return state === 'running' && (await this.#bough.follow(sessionID))?.id === id
  }
}

async function messagesOf({ events }: Turn): Promise<readonly Message[]> {
  const messages: Message[] = []
  for await (const event of events) if (event.type === 'message') messages.push(event.message)
  return messages
}
