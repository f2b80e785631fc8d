import { isOfAnotherFrontEnd } from '../../tree/channel.ts'
import type { TreeEvent } from '../../tree/event.ts'
import type { ChannelFrontEnd } from '../../tree/front-end.ts'
import type { SessionID } from '../../tree/ids.ts'
import type { Session } from '../../tree/session.ts'
import type { SessionStatus } from '../../tree/session-status.ts'
import { soonOnce } from '../../tree/soon-once.ts'
import { type Backtrack, notLookingBack } from '../backtrack/backtrack.ts'
import { Cards } from '../side-forks/cards.ts'
import type { CardDeed } from '../side-forks/draw-card.ts'
import type { Replyable } from '../side-forks/reply.ts'
import { UnseenRuns } from '../side-forks/unseen-runs.ts'
import { Conversation } from '../transcript/conversation.ts'
import type { CardEntry } from '../transcript/entry.ts'
import { TranscriptView } from '../transcript/transcript-view.ts'
import { atEnd, type View } from '../transcript/window.ts'
import type { Ui } from '../ui.ts'
import type { Composer } from './composer.ts'
import { frontEndOf } from './front-end.ts'
import { offerTrust } from './offer-trust.ts'
import { effectOn, type Place, placeOf, readPlace, talksTo } from './place.ts'
import { reopenedNotes } from './reopened-notes.ts'
import { Talking } from './talking.ts'
import { removeIfUnused } from './unused-session.ts'

export interface TabOptions {
  readonly composer: Composer
  readonly view?: View
  /** The session was made for this tab. */
  readonly isNew?: boolean
}

/** A channel with the session that is talked in there: main, or the fork that is open. */
export class Tab {
  readonly composer: Composer
  readonly talking: Talking
  readonly unseenRuns: UnseenRuns
  readonly #ui: Ui
  readonly #made: Session | null
  readonly #cards: Cards
  readonly #refreshPlace = soonOnce(() => this.#lookAround())
  readonly #refreshStatus = soonOnce(() => this.#readStatus())
  readonly #refreshTalk = soonOnce(() => this.#conversation.refresh())
  #place: Place
  #conversation: Conversation
  #transcript: TranscriptView
  #status: SessionStatus | null = null
  #statusAt: number
  #backtrack: Backtrack = notLookingBack
  #viewBefore: View = atEnd
  #replyTo: Replyable | null = null
  #leave: (() => Promise<void>) | null = null
  /** What is beside the conversation may have changed since it was read. */
  #isStale = false
  #isBeginning = true
  #isClosed = false

  static async open(ui: Ui, session: Session, options: TabOptions): Promise<Tab> {
    const place = await placeOf(ui.bough, session)
    const shown = talksTo(place) === session.id ? session : await ui.bough.session(talksTo(place))
    const conversation = await openConversation(ui, shown)
    const tab = new Tab(ui, place, conversation, options)
    ui.attempt(async () => {
      // First it is shown: what begins then loads a good deal.
      await ui.drawn()
      await tab.#begin()
    })
    return tab
  }

  private constructor(ui: Ui, place: Place, conversation: Conversation, options: TabOptions) {
    this.#ui = ui
    this.#made = options.isNew ? conversation.session : null
    this.#place = place
    this.unseenRuns = new UnseenRuns(place)
    this.#cards = new Cards(ui.bough)
    this.talking = new Talking(this, (inquiryID) => {
      this.#cards.use(inquiryID)
      this.#showCards()
    })
    this.#statusAt = ui.now()
    this.#conversation = conversation
    this.#transcript = this.#viewOf(conversation)
    if (options.view) this.#transcript.view = options.view
    this.composer = options.composer
  }

  get ui(): Ui {
    return this.#ui
  }

  get place(): Place {
    return this.#place
  }

  get session(): Session {
    return this.#conversation.session
  }

  get conversation(): Conversation {
    return this.#conversation
  }

  get transcript(): TranscriptView {
    return this.#transcript
  }

  /** Null until it is known. */
  get status(): SessionStatus | null {
    return this.#status
  }

  /** What was sent to the channel. */
  get cards(): readonly CardEntry[] {
    return this.#cards.all
  }

  /** What the next message replies to, so that it goes on with that fork. */
  get replyTo(): Replyable | null {
    return this.#replyTo
  }

  set replyTo(replyTo: Replyable | null) {
    this.#replyTo = replyTo
    this.#ui.redraw()
  }

  get backtrack(): Backtrack {
    return this.#backtrack
  }

  /** Looking back scrolls; leaving goes back to where the person was. */
  set backtrack(backtrack: Backtrack) {
    if (backtrack.on && !this.#backtrack.on) this.#viewBefore = this.#transcript.view
    if (!backtrack.on && this.#backtrack.on) this.#transcript.view = this.#viewBefore
    this.#backtrack = backtrack
    if (backtrack.on) this.#transcript.reveal(backtrack.selected)
    this.#ui.redraw()
  }

  /** Interrupts the turn that runs. */
  interrupt(): void {
    this.#ui.attempt(() => this.#ui.bough.abort(this.session.id))
  }

  /** Something has changed somewhere. */
  hear(event: TreeEvent): void {
    const { kind, sessionID } = event
    const effect = effectOn(this.#place, event)
    // There may be many tabs: what is beside the conversation is read where somebody sees it.
    if (effect === 'talk' || (effect === 'beside' && this.#ui.isShown(this))) this.#refreshPlace()
    else if (effect === 'beside') this.#isStale = true
    if (sessionID !== this.session.id) return
    if (kind === 'turn.ended') this.#refreshStatus()
    if (kind === 'session.deleted')
      this.#conversation.note('bad', 'This session was deleted elsewhere. Close its tab.')
    else this.#refreshTalk()
  }

  /** Everything is read afresh. */
  refresh(): void {
    this.#refreshPlace()
    this.#refreshStatus()
    this.#refreshTalk()
    // It could not begin when it was opened.
    const isMissing = this.#leave === null && this.#place.watched === null && !this.#isClosed
    if (isMissing && !this.#isBeginning) this.#ui.attempt(() => this.#begin())
  }

  /** Somebody looks, or looks again after some milliseconds: files may have changed meanwhile, and the fork may be idle. */
  look(after = lookAgainAfter): void {
    if (this.#isStale) this.#refreshPlace()
    if (this.#ui.now() - this.#statusAt < after || this.#conversation.isRunning) return
    this.#statusAt = this.#ui.now()
    this.#refreshStatus()
    this.#refreshPlace()
  }

  /** Lets go of the channel; what runs there runs on. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#conversation.close()
    await this.#leave?.()
  }

  /** Closes it for good: a session that was made for it and never used goes, too. */
  async dispose(): Promise<void> {
    await this.close()
    if (this.#made && !this.talking.hasSaid) await removeIfUnused(this.#ui.bough, this.#made)
  }

  async #begin(): Promise<void> {
    const { bough } = this.#ui
    this.#isBeginning = true
    try {
      this.#refreshStatus()
      await this.#cards.recall(this.#place)
      this.#showCards()
      if (this.#place.watched !== null) return
      const leave = await bough.attend(this.#place.channel.id, this.#frontEnd())
      if (this.#isClosed) return leave()
      this.#leave = leave
    } finally {
      this.#isBeginning = false
    }
    await Promise.all([this.#reopen(), offerTrust(this.#ui, this.session)])
  }

  async #reopen(): Promise<void> {
    // What is told is about this one, also where the tab has gone to another meanwhile.
    const conversation = this.#conversation
    const { session } = conversation
    const reopened = await this.#ui.bough.reopen(session.id)
    if (this.#isClosed) return
    const { atBeginning, warnings } = reopenedNotes(session, reopened, this.#ui.openedAt)
    if (atBeginning.length > 0) conversation.noteAtBeginning(atBeginning)
    for (const warning of warnings) conversation.note('warning', warning)
    if (reopened.added > 0) this.#refreshTalk()
  }

  #frontEnd(): ChannelFrontEnd {
    return frontEndOf({
      isGuest: isOfAnotherFrontEnd(this.#place.channel),
      follow: (turn) => {
        if (turn.sessionID === this.session.id) this.#conversation.follow(turn)
        else this.#refreshPlace()
      },
      said: (messageID, sessionID) => this.#ui.bough.link(this.#place.channel.id, messageID, sessionID),
      sent: async (what, id, sessionID) => {
        const newest = this.#conversation.newest?.id ?? null
        await this.#cards.show(what, id, sessionID, { newest, mainID: this.#place.channel.mainID })
        this.#showCards()
      },
      edited: (id, what) => {
        this.#cards.edit(id, what)
        this.#showCards()
      },
    })
  }

  #viewOf(conversation: Conversation): TranscriptView {
    return new TranscriptView(conversation, {
      highlight: () => this.#ui.highlight,
      press: (deed) => this.#press(deed),
    })
  }

  // A button of a card.
  #press(deed: CardDeed): void {
    if (deed.kind === 'put-back')
      this.#ui.attempt(async () => (await import('../side-forks/put-back.ts')).putBack(this, deed.forkID))
    else if (deed.kind === 'click' || deed.forkID === this.#place.channel.openForkID) this.talking.say(deed)
    else this.#ui.tell('That fork is over.', 'warning')
  }

  #showCards(): void {
    if (!this.#isClosed) this.#conversation.cards = this.#cards.all
  }

  async #lookAround(): Promise<void> {
    const { channel, watched } = this.#place
    this.#isStale = false
    this.#place = await readPlace(this.#ui.bough, channel.id, watched)
    await this.#cards.recall(this.#place)
    const id = talksTo(this.#place)
    if (id !== this.session.id) await this.#goTo(id)
    this.#showCards()
    if (!this.#isClosed) this.#ui.tabChanged()
  }

  async #goTo(id: SessionID): Promise<void> {
    const session = await this.#ui.bough.session(id)
    const conversation = await openConversation(this.#ui, session)
    if (this.#isClosed) return conversation.close()
    this.#conversation.close()
    this.#conversation = conversation
    this.#transcript = this.#viewOf(conversation)
    this.#showCards()
    this.#backtrack = notLookingBack
    this.#status = null
    this.#refreshStatus()
  }

  async #readStatus(): Promise<void> {
    const conversation = this.#conversation
    const { newest, session } = conversation
    const status = await this.#ui.bough.status(session.id, newest ? { messageID: newest.id } : {})
    if (conversation !== this.#conversation) return
    this.#status = status
    this.#statusAt = this.#ui.now()
    if (newest) conversation.count(newest.id, status.messages)
    this.#ui.redraw()
  }
}

const openConversation = (ui: Ui, session: Session): Promise<Conversation> =>
  Conversation.open(ui.bough, session, { changed: () => ui.tabChanged(), grew: () => ui.redrawSoon() }, () =>
    ui.now(),
  )

/** Milliseconds until the files are looked at again while nothing happens here. */
const lookAgainAfter = 30_000
