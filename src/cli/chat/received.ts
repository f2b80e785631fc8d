import { BoughError } from '../../tree/error.ts'
import { endOfID, type InquiryID, isMeantBy, tooShort } from '../../tree/ids.ts'

/** A message that can be replied to, by the id that it has in this chat. */
export interface ReceivedMessage {
  readonly id: string
  readonly text: string
  readonly buttons: readonly { readonly label: string; readonly inquiryID: InquiryID }[]
}

/** What agents, and bough, have sent to this chat, lately. */
export class Received {
  readonly #messages: ReceivedMessage[] = []

  add(message: ReceivedMessage): void {
    if (!this.#messages.some(({ id }) => id === message.id)) this.#messages.push(message)
  }

  /** By whole or shortened id, as a person types it. */
  find(typed: string): ReceivedMessage {
    const text = typed.toLowerCase()
    const part = text.slice(text.indexOf('_') + 1)
    const [found, another] = this.#messages.filter(({ id }) => isMeantBy(part, id))
    if (!found && endOfID(part) === null) throw tooShort(typed)
    if (!found)
      throw new BoughError('not_found', `There is no message "${typed}" among those that came here lately.`)
    if (another)
      throw new BoughError('ambiguous_id', `"${typed}" fits more than one message. Type more of it.`)
    return found
  }

  /** A button by its number: of that message, or of the newest one with buttons. */
  button(number: string, typed: string | null): InquiryID {
    const { buttons } = typed === null ? this.#newestCard() : this.find(typed)
    const button = /^\d+$/.test(number) ? buttons[Number(number) - 1] : undefined
    if (button) return button.inquiryID
    const there = buttons.map(({ label }, i) => `${i + 1} ${label}`).join(', ')
    throw new BoughError(
      'not_found',
      there === '' ? 'That message has no buttons.' : `There is no button ${number}. There are: ${there}.`,
    )
  }

  #newestCard(): ReceivedMessage {
    const card = this.#messages.findLast(({ buttons }) => buttons.length > 0)
    if (card) return card
    throw new BoughError('not_found', 'No message with buttons came here lately.')
  }
}
