import type { Bough } from '../../bough.ts'
import { isOfAnotherFrontEnd } from '../../tree/channel.ts'
import type { InquiryID, MessageID, OutboxID, SessionID } from '../../tree/ids.ts'
import type { Outgoing } from '../../tree/outgoing.ts'
import type { Place } from '../tab/place.ts'
import type { CardEntry } from '../transcript/entry.ts'
import { timeOf } from './with-cards.ts'

/** So many are kept: what is older is in the sessions that sent it. */
const most = 300

/** What forks, and bough, have sent to a channel, as far as it is known here. Each is replaced, never changed. */
export class Cards {
  readonly #bough: Bough
  readonly #names = new Map<SessionID, string | null>()
  #all: readonly CardEntry[] = []

  constructor(bough: Bough) {
    this.#bough = bough
  }

  get all(): readonly CardEntry[] {
    return this.#all
  }

  /** Something is shown now: it stands below the newest message, however long it had to wait. */
  async show(
    what: Outgoing,
    id: OutboxID,
    sessionID: SessionID,
    { newest, mainID }: { readonly newest: MessageID | null; readonly mainID: SessionID },
  ): Promise<void> {
    const from = await this.#nameOf(sessionID, mainID)
    const [sent, below] = [timeOf(id), newest === null ? '' : timeOf(newest)]
    this.#put({ kind: 'card', key: id, what, sessionID, from, at: sent > below ? sent : below, used: [] })
  }

  /** What was shown before, here or elsewhere. The banner of the fork that is open has buttons, the others have none. */
  async recall({ sent, channel }: Place): Promise<void> {
    const { mainID, openForkID } = channel
    for (const { id, what, sessionID, state } of sent) {
      // What waits will come here; unless the channel is that of a chat, which may not be there.
      const isToCome = state !== 'sent' && !isOfAnotherFrontEnd(channel)
      if (isToCome || this.#has(id)) continue
      const from = await this.#nameOf(sessionID, mainID)
      // It may have come while its name was looked up.
      if (!this.#has(id))
        this.#put({ kind: 'card', key: id, what, sessionID, from, at: timeOf(id), used: [] })
    }
    this.#replace(
      ({ what, sessionID }) => what.kind === 'entered' && what.isOpen !== (sessionID === openForkID),
      (card) =>
        card.what.kind === 'entered' ? { ...card, what: { ...card.what, isOpen: !card.what.isOpen } } : card,
    )
  }

  edit(id: string, what: Outgoing): void {
    this.#replace(
      ({ key }) => key === id,
      (card) => ({ ...card, what }),
    )
  }

  /** A button was clicked. */
  use(inquiryID: InquiryID): void {
    this.#replace(
      (card) => buttonsOf(card).some((button) => button.inquiryID === inquiryID),
      (card) => ({ ...card, used: [...card.used, inquiryID] }),
    )
  }

  #has(id: OutboxID): boolean {
    return this.#all.some(({ key }) => key === id)
  }

  #put(card: CardEntry): void {
    this.#all = [...this.#all.filter(({ key }) => key !== card.key), card].slice(-most)
  }

  // Where nothing changes all stays the same: what was drawn of it, too.
  #replace(isMeant: (card: CardEntry) => boolean, by: (card: CardEntry) => CardEntry): void {
    if (this.#all.some(isMeant)) this.#all = this.#all.map((card) => (isMeant(card) ? by(card) : card))
  }

  async #nameOf(id: SessionID, mainID: SessionID): Promise<string | null> {
    if (id === mainID) return null
    const known = this.#names.get(id)
    if (known !== undefined) return known
    // One that was deleted has no name any more.
    const name = await this.#bough.session(id).then(
      ({ title }) => title,
      () => 'a fork that was deleted',
    )
    this.#names.set(id, name)
    return name
  }
}

/** The buttons that an agent put on a card. */
export const buttonsOf = ({
  what,
}: Pick<CardEntry, 'what'>): Extract<Outgoing, { kind: 'embed' }>['buttons'] =>
  what.kind === 'embed' ? what.buttons : []
