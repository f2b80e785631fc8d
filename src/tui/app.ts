import { stripTerminalSequences } from '@earendil-works/pi-tui'
import type { Bough } from '../bough.ts'
import type { Reset, TreeEvent } from '../tree/event.ts'
import type { SessionID } from '../tree/ids.ts'
import { plainLine } from '../tree/plain-text.ts'
import type { Session } from '../tree/session.ts'
import { move } from './backtrack/look-back.ts'
import type { ActionName } from './keys/actions.ts'
import type { KeyMap } from './keys/key-map.ts'
import { listen } from './listening.ts'
import { Openings } from './panels/openings.ts'
import type { Panel } from './panels/panel.ts'
import { wholePanel } from './panels/whole-panel.ts'
import { perform } from './perform.ts'
import { pressKey } from './press-key.ts'
import { over } from './screen/box.ts'
import { below, type Frame, linesOnly, type Size, tall } from './screen/frame.ts'
import { pressTime } from './screen/key-chunks.ts'
import type { Face, Screen } from './screen/screen.ts'
import type { Theme, Tone } from './screen/theme.ts'
import { tooSmall } from './screen/too-small.ts'
import { Approvals } from './side-forks/approvals.ts'
import type { TabBeginning } from './start/restore-tabs.ts'
import { Composers } from './tab/composers.ts'
import { drawTab } from './tab/draw-tab.ts'
import { isPlaceOf, isSamePlace } from './tab/place.ts'
import { Tab } from './tab/tab.ts'
import { tabBar } from './tab/tab-bar.ts'
import type { Highlight } from './transcript/markdown.ts'
import type { View } from './transcript/window.ts'
import type { Ui } from './ui.ts'

export interface AppOptions {
  readonly bough: Bough
  readonly theme: Theme
  readonly keys: KeyMap
  readonly clock?: () => number
  readonly highlight?: Highlight
  /** Where the program was started; absent: wherever the shown session works. */
  readonly directory?: string
  /** What was said in this project before, oldest first. */
  readonly said?: readonly string[]
  /** Hears what is said, to remember it. */
  onSaid?(text: string): void
}

/** The program: its tabs, what lies over them, and what keys do. It draws what it knows, whenever it is asked to. */
export class App implements Ui, Face {
  readonly bough: Bough
  readonly keys: KeyMap
  readonly openedAt: number
  readonly directory: string | null
  /** Resolves when the person quits. */
  readonly over: Promise<void>
  readonly #clock: () => number
  #highlight: Highlight | null
  readonly #composers: Composers
  readonly #quit: () => void
  readonly #watching = new AbortController()
  readonly #asked = new Map<ActionName, number>()
  readonly #approvals = new Approvals(this)
  readonly #openings = new Openings(this, (data, at) => this.#press(data, at))
  #lastKey = Number.NEGATIVE_INFINITY
  #lastSeveral = Number.NEGATIVE_INFINITY
  #theme: Theme
  #screen: Screen | null = null
  #tabs: readonly Tab[] = []
  #tab: Tab | null = null
  #panels: readonly Panel[] = []
  #isAway = false
  #told: { readonly text: string; readonly tone: Tone } | null = null

  constructor({ bough, theme, keys, clock = Date.now, said = [], ...options }: AppOptions) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.bough = bough
    this.keys = keys
    this.over = promise
    this.#quit = resolve
    this.#theme = theme
    this.#clock = clock
    this.openedAt = clock()
    this.directory = options.directory ?? null
    this.#highlight = options.highlight ?? null
    this.#composers = new Composers(this, said, options.onSaid)
  }

  /** Shows itself on a screen, and hears from now on what changes anywhere. */
  appear(screen: Screen): void {
    this.#screen = screen
    void this.#listen()
  }

  get theme(): Theme {
    return this.#theme
  }

  set theme(theme: Theme) {
    this.#theme = theme
    this.redraw()
  }

  get highlight(): Highlight | null {
    return this.#highlight
  }

  /** It is loaded after the first frame: what is shown is drawn anew. */
  set highlight(highlight: Highlight | null) {
    this.#highlight = highlight
    this.redraw()
  }

  get isAway(): boolean {
    return this.#isAway
  }

  get tab(): Tab {
    if (!this.#tab) throw new Error('There is no tab yet.')
    return this.#tab
  }

  get tabs(): readonly Tab[] {
    return this.#tabs
  }

  now(): number {
    return this.#clock()
  }

  redraw(): void {
    this.#screen?.redraw()
  }

  async drawn(): Promise<void> {
    await this.#screen?.drawn()
  }

  draw(size: Size): Frame {
    if (!this.#tab) return tall({ lines: [], areas: [] }, size.rows)
    const { columns, rows } = size
    const none = tooSmall(size)
    if (none) return none
    const bar = tabBar(this.#tabs, this.#tab, columns, this.#theme, (tab) => this.showTab(tab))
    const room = { columns, rows: rows - 1 }
    const whole = this.#panels.findLast(({ shape }) => shape === 'whole')
    const told = [
      ...this.#panels.flatMap((each) => (each.shape === 'bar' ? each.draw({ columns, rows: 1 }).lines : [])),
      ...(this.#told ? [this.#theme.paint(this.#told.tone, ` ${this.#told.text}`)] : []),
    ]
    this.#tab.composer.isFocused = this.#panels.every(({ isAside }) => isAside)
    const body = whole ? wholePanel(whole, room, told) : drawTab(this.#tab, room, this.#theme, told)
    const frame = below(whole ? linesOnly(...bar.lines) : bar, tall(body, room.rows))
    const above = this.#panels.slice(whole ? this.#panels.indexOf(whole) + 1 : 0)
    const boxes = above.filter(({ shape }) => shape === 'box')
    const inside = { columns, rows: rows - 2 }
    const veil = (line: string): string => this.#theme.paint('dim', stripTerminalSequences(line))
    return boxes.reduce((base, box) => over(base, box.draw(inside), size, box.isAside ? null : veil), frame)
  }

  key(data: string, areSeveral = false): void {
    const at = areSeveral ? this.now() : pressTime(data, this.now(), this.#lastSeveral)
    if (areSeveral) this.#lastSeveral = this.now()
    if (!this.#openings.hold(data, at)) this.#press(data, at)
  }

  #press(data: string, at: number): void {
    this.#told = null
    this.#lastKey = at
    for (const each of this.#panels) each.keyComes?.()
    const panel = this.#panels.findLast(({ isAside }) => !isAside)
    pressKey(this, panel, data)
    this.redraw()
  }

  wheel(lines: number): void {
    const panel = this.#panels.at(-1)
    if (panel) panel.wheel?.(lines)
    else if (this.tab.backtrack.on)
      this.attempt(() => move(this.tab, lines < 0 ? 'backtrack.up' : 'backtrack.down'))
    else this.tab.transcript.scroll(lines)
    this.redraw()
  }

  perform(name: ActionName): void {
    perform(this, name)
    this.redraw()
  }

  open(panel: Panel): void {
    this.#panels = [...this.#panels, panel]
    this.redraw()
  }

  openSoon(name: ActionName, load: () => Promise<Panel>): void {
    this.#openings.begin(name, load)
  }

  close(panel: Panel): void {
    this.#panels = this.#panels.filter((each) => each !== panel)
    panel.closed?.()
    this.#approvals.closed(panel)
    this.#lookForApprovals()
    this.redraw()
  }

  get lastKey(): number {
    return this.#lastKey
  }

  placeChanged(tab: Tab): void {
    if (tab === this.#tab) this.#lookForApprovals()
  }

  get shownAside(): Panel | null {
    return this.#approvals.aside
  }

  openApprovals(): void {
    this.#approvals.openQueue()
  }

  focused(): void {
    this.#tab?.look(0)
  }

  /** Time has passed. */
  tick(): void {
    this.#tab?.look()
    this.redraw()
  }

  async openTab(session: Session): Promise<Tab> {
    const tab = await this.addTab(session)
    this.showTab(tab)
    return tab
  }

  /** A tab that is not shown, at the end or before another one. */
  async addTab(session: Session, { view, draft = '' }: TabBeginning = {}, before?: Tab): Promise<Tab> {
    const found = this.#tabOf(session.id)
    if (found) return withDraft(found, draft)
    const tab = await Tab.open(this, session, this.#tabOptions(view))
    // Somebody else may have opened it meanwhile.
    const twin = this.#tabs.find(({ place }) => isSamePlace(place, tab.place))
    if (twin) {
      void tab.close()
      return withDraft(twin, draft)
    }
    withDraft(tab, draft)
    const at = before ? this.#tabs.indexOf(before) : -1
    this.#tabs = this.#tabs.toSpliced(at === -1 ? this.#tabs.length : at, 0, tab)
    this.redraw()
    return tab
  }

  showTab(tab: Tab): void {
    this.#tab = tab
    this.#screen?.setTitle(`bough: ${tab.session.title}`)
    tab.look()
    this.#lookForApprovals()
    this.redraw()
  }

  closeTab(tab: Tab): void {
    const at = this.#tabs.indexOf(tab)
    if (at === -1) return
    const isTyped = !tab.composer.isEmpty
    tab.composer.clear()
    this.#tabs = this.#tabs.filter((each) => each !== tab)
    void tab.close()
    const next = this.#tabs[Math.min(at, this.#tabs.length - 1)]
    if (!next) this.quit()
    else if (this.#tab === tab) this.showTab(next)
    if (isTyped) this.tell('↑ brings back what was typed there.')
  }

  tell(text: string, tone: Tone = 'dim'): void {
    this.#told = { text: plainLine(text), tone }
    this.redraw()
  }

  isAgain(name: ActionName, within: number): boolean {
    const before = this.#asked.get(name) ?? Number.NEGATIVE_INFINITY
    this.#asked.set(name, this.now())
    return this.now() - before <= within
  }

  attempt(work: () => Promise<unknown>): void {
    work().then(
      () => this.redraw(),
      (error: unknown) => this.tell(error instanceof Error ? error.message : String(error), 'bad'),
    )
  }

  quit(): void {
    this.#quit()
  }

  suspend(): void {
    this.#screen?.suspend()
  }

  /** Lets go of everything; what runs elsewhere runs on. */
  async leave(): Promise<void> {
    this.#watching.abort()
    await Promise.allSettled(this.#tabs.map((tab) => tab.close()))
  }

  #tabOptions(view: View | undefined) {
    const screen = this.#screen
    if (!screen) throw new Error('There is no screen yet.')
    return { composer: this.#composers.create(screen.host), ...(view && { view }) }
  }

  #tabOf(id: SessionID): Tab | undefined {
    return this.#tabs.find(({ session, place }) => session.id === id || isPlaceOf(place, id))
  }

  #lookForApprovals(): void {
    if (this.#tab) this.#approvals.look(this.#panels)
  }

  #listen(): Promise<void> {
    return listen(this.bough, {
      signal: this.#watching.signal,
      hear: (event) => this.#hear(event),
      away: (isAway) => {
        this.#isAway = isAway
        // What was asked for meanwhile has failed.
        if (!isAway) this.#hear({ kind: 'reset', seq: 0 })
        this.redraw()
      },
      failed: (error) => this.tell(error instanceof Error ? error.message : String(error), 'bad'),
    })
  }

  #hear(event: TreeEvent | Reset): void {
    for (const panel of this.#panels) panel.hear?.(event)
    for (const tab of this.#tabs) {
      if (event.kind === 'reset') tab.refresh()
      else tab.hear(event)
    }
  }
}

// What is typed there already stays.
function withDraft(tab: Tab, draft: string): Tab {
  if (tab.composer.isEmpty) tab.composer.text = draft
  return tab
}
