import type { SessionID } from '../../tree/ids.ts'
import type { Session } from '../../tree/session.ts'
import type { TabBeginning } from '../start/restore-tabs.ts'
import type { Ui } from '../ui.ts'
import type { Composer } from './composer.ts'
import { isPlaceOf, isSamePlace } from './place.ts'
import { Tab } from './tab.ts'

export interface TabSetOptions {
  readonly ui: Ui
  /** Makes a composer for a new one. */
  compose(): Composer
  /** One came to the front. */
  shown(): void
  /** The last one is gone. */
  emptied(): void
}

/** The tabs, in their order, and which of them is shown. A session is in one of them at most. */
export class TabSet {
  readonly #options: TabSetOptions
  #all: readonly Tab[] = []
  #shown: Tab | null = null

  constructor(options: TabSetOptions) {
    this.#options = options
  }

  get all(): readonly Tab[] {
    return this.#all
  }

  /** Null before the first one; the last one that was there, after all are closed. */
  get shown(): Tab | null {
    return this.#shown
  }

  /** Shows a session: in the tab that has it already, or in a new one. */
  async open(session: Session, beginning: TabBeginning = {}): Promise<Tab> {
    const tab = await this.add(session, beginning)
    this.show(tab)
    return tab
  }

  /** A tab that is not shown, at the end or before another one. */
  async add(
    session: Session,
    { view, isNew = false, draft = '' }: TabBeginning = {},
    before?: Tab,
  ): Promise<Tab> {
    const found = this.#tabOf(session.id)
    if (found) return withDraft(found, draft)
    const { ui, compose } = this.#options
    const tab = await Tab.open(ui, session, { composer: compose(), isNew, ...(view && { view }) })
    // Somebody else may have opened it meanwhile.
    const twin = this.#all.find(({ place }) => isSamePlace(place, tab.place))
    if (twin) {
      void tab.close()
      return withDraft(twin, draft)
    }
    withDraft(tab, draft)
    const at = before ? this.#all.indexOf(before) : -1
    this.#all = this.#all.toSpliced(at === -1 ? this.#all.length : at, 0, tab)
    ui.redraw()
    return tab
  }

  show(tab: Tab): void {
    this.#shown = tab
    tab.look()
    this.#options.shown()
  }

  /** What was typed there can be brought back in another one. */
  close(tab: Tab): void {
    const { ui, emptied } = this.#options
    const at = this.#all.indexOf(tab)
    if (at === -1) return
    const isTyped = !tab.composer.isEmpty
    tab.composer.clear()
    this.#all = this.#all.filter((each) => each !== tab)
    ui.attempt(() => tab.dispose())
    const next = this.#all[Math.min(at, this.#all.length - 1)]
    if (!next) emptied()
    else if (this.#shown === tab) this.show(next)
    if (isTyped) ui.tell('↑ brings back what was typed there.')
  }

  /** Lets go of all of them; what runs there runs on. */
  async leave(): Promise<void> {
    await Promise.allSettled(this.#all.map((tab) => tab.close()))
  }

  #tabOf(id: SessionID): Tab | undefined {
    return this.#all.find(({ session, place }) => session.id === id || isPlaceOf(place, id))
  }
}

// What is typed there already stays.
function withDraft(tab: Tab, draft: string): Tab {
  if (tab.composer.isEmpty) tab.composer.text = draft
  return tab
}
