import type { PersonsDoing } from '../../bough.ts'
import type { InquiryID } from '../../tree/ids.ts'
import type { Replyable } from '../side-forks/reply.ts'
import { whyFailed } from './place.ts'
import { Said, type Waiting } from './said.ts'
import type { Tab } from './tab.ts'

/** What the person says and does in a tab. What could not be said is not lost: it comes back into the composer. */
export class Talking {
  readonly #tab: Tab
  readonly #said: Said
  readonly #clicked: (inquiryID: InquiryID) => void
  #hasSaid = false

  /** `clicked` hears of the buttons whose click counts. */
  constructor(tab: Tab, clicked: (inquiryID: InquiryID) => void) {
    this.#tab = tab
    this.#said = new Said(tab.ui)
    this.#clicked = clicked
  }

  get waiting(): readonly Waiting[] {
    return this.#said.waiting
  }

  /** Whether the person said or did anything here. */
  get hasSaid(): boolean {
    return this.#hasSaid
  }

  /** Says something: in reply to what was chosen for that, or to the run that is looked at. */
  send(text: string): void {
    const tab = this.#tab
    const to = tab.replyTo
    tab.replyTo = null
    if (tab.place.watched !== null)
      tab.ui.attempt(async () => (await import('../side-forks/go-on.ts')).goOnElsewhere(tab, text))
    else if (to) this.reply(to, text)
    else this.say({ kind: 'message', text })
  }

  /** Replies to something that a fork said. */
  reply(to: Replyable, text: string): void {
    const { ui, place } = this.#tab
    const { externalID, sessionID } = to
    const link = () => ui.bough.link(place.channel.id, externalID, sessionID)
    ui.attempt(async () => {
      await this.orGiveBack(text, link, to)
      this.say({ kind: 'message', text, replyTo: { externalID, text: to.text } }, to)
    })
  }

  /** Does something in the channel; it waits its place, and what goes wrong is told. */
  say(what: PersonsDoing, to: Replyable | null = null): void {
    const { transcript, place, conversation } = this.#tab
    this.#hasSaid = true
    transcript.toEnd()
    this.#said.say(what, {
      channelID: place.channel.id,
      isBusy: conversation.isRunning,
      began: () => {
        if (what.kind === 'click') this.#clicked(what.inquiryID)
      },
      tell: (words) => this.#tab.conversation.note('warning', words),
      failed: () => {
        if (what.kind === 'message') this.giveBack(what.text, to)
        if (what.kind === 'fork' && what.topic) this.giveBack(`/fork ${what.topic}`)
      },
    })
  }

  /** The last thing that waits comes back into the composer, unless its turn has come meanwhile. False where none waits. */
  takeBack(): boolean {
    return this.#said.takeBack()
  }

  /** Does something with words; where it fails, they come back. */
  async orGiveBack<T>(text: string, work: () => Promise<T>, to: Replyable | null = null): Promise<T> {
    this.#hasSaid = true
    try {
      return await work()
    } catch (error) {
      this.giveBack(text, to)
      throw await whyFailed(this.#tab.ui.bough, this.#tab.place.channel.id, error)
    }
  }

  /** Into the composer again, unless something else is typed there by now: then `↑` brings it back. */
  giveBack(text: string, to: Replyable | null = null): void {
    const { composer } = this.#tab
    if (text === '' || !composer.isEmpty) return
    composer.text = text
    this.#tab.replyTo = to
  }
}
