import { Input } from '@earendil-works/pi-tui'
import type { ActionName, Scope } from '../keys/actions.ts'
import { isBeside } from '../panels/beside.ts'
import type { Panel } from '../panels/panel.ts'
import { ends, type Frame, type Size, widthOf } from '../screen/frame.ts'
import type { Tab } from '../tab/tab.ts'
import type { Ui } from '../ui.ts'
import type { Match } from './found.ts'
import { mostMatches, TranscriptSearch } from './transcript-search.ts'

/** A line above the status in which the person types what to find in the transcript. */
export class SearchPanel implements Panel {
  readonly shape = 'bar'
  readonly scopes: readonly Scope[] = ['search', 'anywhere']
  readonly #ui: Ui
  readonly #tab: Tab
  readonly #field = new Input({ prompt: ' Search: ' })
  #search: TranscriptSearch
  #conversation: Tab['conversation']
  /** The match that the person is at. */
  #at: Match | null = null

  constructor(ui: Ui, query = '') {
    this.#ui = ui
    this.#tab = ui.tab
    this.#conversation = ui.tab.conversation
    this.#search = this.#searchOf(this.#conversation)
    this.#field.focused = true
    this.#field.setValue(query)
    // Behind it, as if it had been typed.
    this.#field.handleInput('\u0005')
    this.#show(null)
    if (query !== '') this.#begin()
  }

  act(name: ActionName): void {
    if (name === 'search.next' || name === 'search.open') this.#step(1)
    else if (name === 'search.previous') this.#step(-1)
    else if (name === 'search.close') this.#ui.close(this)
    else {
      // The transcript can be seen: what shows more of it ends nothing.
      const isReading = name.startsWith('scroll.') || name === 'tools.toggle'
      if (!isReading && !isBeside(name)) this.#ui.close(this)
      this.#ui.perform(name)
    }
  }

  type(data: string): void {
    const before = this.#field.getValue()
    this.#field.handleInput(data)
    if (this.#field.getValue() === before) return
    this.#at = null
    this.#begin()
  }

  wheel(lines: number): void {
    this.#tab.transcript.scroll(lines)
  }

  /** It is about one tab: it follows that to another session, and finds what comes. */
  tabChanged(): void {
    const { conversation } = this.#tab
    if (!this.#ui.isShown(this.#tab)) this.#ui.close(this)
    else if (conversation !== this.#conversation) {
      this.#search.stop()
      this.#conversation = conversation
      this.#search = this.#searchOf(conversation)
      this.#at = null
      this.#begin()
    } else if (this.#search.hasNew) this.#ui.attempt(() => this.#search.findNew())
  }

  closed(): void {
    this.#search.stop()
    this.#tab.transcript.found = null
  }

  draw({ columns }: Size): Frame {
    const { paint } = this.#ui.theme
    const words = this.#words()
    const hint = ' Enter older · ↓ newer '
    const full = paint(words.isBad ? 'warning' : 'strong', ` ${words.text} `) + paint('dim', hint)
    const right =
      widthOf(full) <= columns - 30 ? full : paint(words.isBad ? 'warning' : 'strong', ` ${words.text} `)
    const [typed = ''] = this.#field.render(Math.max(12, columns - widthOf(right)))
    return { lines: [ends(typed, right, columns)], areas: [] }
  }

  #searchOf(conversation: Tab['conversation']): TranscriptSearch {
    return new TranscriptSearch(this.#ui.bough, conversation, () => this.#found())
  }

  #begin(): void {
    this.#ui.attempt(() => this.#search.find(this.#field.getValue()))
  }

  #found(): void {
    const { matches, pattern } = this.#search
    const kept = this.#at && matches.find((match) => isSame(match, this.#at))
    const [first] = matches
    if (kept) this.#at = kept
    else if (first && this.#at === null) this.#go(first)
    this.#show(pattern)
  }

  #step(by: number): void {
    const { matches } = this.#search
    const at = matches.findIndex((match) => isSame(match, this.#at))
    // From the oldest on to the newest, once it is known which that is.
    const next = matches.at((at + by) % Math.max(1, matches.length))
    const isBeyond = at + by >= matches.length || at + by < 0
    if (next && !(isBeyond && !this.#search.isDone)) this.#go(next)
  }

  #go(match: Match): void {
    this.#at = match
    this.#show(match.pattern)
    this.#ui.attempt(() => this.#tab.transcript.revealMatch(match))
  }

  #show(pattern: RegExp | null): void {
    this.#tab.transcript.found = { pattern, match: this.#at }
    this.#ui.redraw()
  }

  #words(): { readonly text: string; readonly isBad: boolean } {
    const { matches, isDone, pattern } = this.#search
    if (pattern === null) return { text: '', isBad: false }
    if (matches.length === 0) return { text: isDone ? 'not found' : 'searching …', isBad: isDone }
    const at = matches.findIndex((match) => isSame(match, this.#at)) + 1
    const more = matches.length >= mostMatches ? '+' : isDone ? '' : ' …'
    return { text: `${at} of ${matches.length}${more}`, isBad: false }
  }
}

const isSame = (a: Match | null, b: Match | null): boolean =>
  a !== null && b !== null && a.messageID === b.messageID && a.from === b.from
