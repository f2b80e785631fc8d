import type { Bough } from '../bough.ts'
import { messageOf } from '../tree/error.ts'
import type { Reset, TreeEvent } from '../tree/event.ts'
import type { Permission } from '../tree/permission.ts'
import { plainLine } from '../tree/plain-text.ts'
import { move } from './backtrack/look-back.ts'
import { hereWords } from './commands/here-words.ts'
import { drawApp, type Told } from './draw-app.ts'
import { Hearing } from './hearing.ts'
import type { ActionName } from './keys/actions.ts'
import type { KeyMap } from './keys/key-map.ts'
import type { Panel } from './panels/panel.ts'
import { PanelStack } from './panels/panel-stack.ts'
import { perform } from './perform.ts'
import { pressKey } from './press-key.ts'
import { type Frame, type Size, tall } from './screen/frame.ts'
import { pressTime } from './screen/key-chunks.ts'
import type { Face, Screen } from './screen/screen.ts'
import type { Theme, Tone } from './screen/theme.ts'
import { Permissions } from './side-forks/permissions.ts'
import { Composers } from './tab/composers.ts'
import type { Tab } from './tab/tab.ts'
import { TabSet } from './tab/tab-set.ts'
import type { Highlight } from './transcript/markdown.ts'
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
  /** Hears that a key was pressed, and has done what it does. */
  onKey?(): void
  /** Hears that the person looks elsewhere. */
  onBlur?(): void
}

/** The program: its tabs, what lies over them, and what keys do. It draws what it knows, whenever it is asked to. */
export class App implements Ui, Face {
  readonly bough: Bough
  readonly keys: KeyMap
  readonly openedAt: number
  readonly directory: string | null
  /** Resolves when the person quits. */
  readonly over: Promise<void>
  readonly quit: () => void
  readonly now: () => number
  readonly offeredTrust = new Set<string>()
  readonly #options: Pick<AppOptions, 'onKey' | 'onBlur'>
  readonly #tabs: TabSet
  readonly #panels = new PanelStack(this, (data, at) => this.#press(data, at))
  readonly #permissions: Permissions
  readonly #hearing = new Hearing(this, (event) => this.#hear(event))
  readonly #asked = new Map<ActionName, number>()
  #lastKey = Number.NEGATIVE_INFINITY
  #lastSeveral = Number.NEGATIVE_INFINITY
  #theme: Theme
  #highlight: Highlight | null
  #screen: Screen | null = null
  #told: Told | null = null

  // What others see to.
  readonly redraw = (): void => this.#screen?.redraw()
  readonly redrawSoon = (): void => this.#screen?.redrawSoon()
  readonly drawn = async (): Promise<void> => this.#screen?.drawn()
  readonly suspend = (): void => this.#screen?.suspend()
  readonly open = (panel: Panel): void => this.#panels.open(panel)
  readonly openSoon: Ui['openSoon'] = (name, load) => this.#panels.openSoon(name, load)
  readonly close = (panel: Panel): void => this.#panels.close(panel)
  readonly openApprovals = (): void => this.#panels.openApprovals()
  readonly openTab: TabSet['open'] = (session, ...how) => this.#tabs.open(session, ...how)
  readonly addTab: TabSet['add'] = (session, ...how) => this.#tabs.add(session, ...how)
  readonly showTab = (tab: Tab): void => this.#tabs.show(tab)
  readonly closeTab = (tab: Tab): void => this.#tabs.close(tab)

  constructor({ bough, theme, keys, clock = Date.now, said = [], ...options }: AppOptions) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.bough = bough
    this.keys = keys
    this.over = promise
    this.quit = resolve
    this.#theme = theme
    this.now = clock
    this.openedAt = clock()
    this.#options = options
    this.directory = options.directory ?? null
    this.#highlight = options.highlight ?? null
    this.#permissions = new Permissions(bough, () => {
      if (this.#tabs.shown) this.#panels.lookForApprovals()
      this.redraw()
    })
    const composers = new Composers(this, said, options.onSaid)
    this.#tabs = new TabSet({
      ui: this,
      compose: () => composers.create(this.#onScreen.host),
      shown: () => this.tabChanged(),
      emptied: resolve,
    })
  }

  /** Shows itself on a screen, and hears from now on what changes anywhere. */
  appear(screen: Screen): void {
    this.#screen = screen
    this.#hearing.begin()
    // The tab is shown first.
    void screen.drawn().then(this.#permissions.refresh)
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
    return this.#hearing.isAway
  }

  get tab(): Tab {
    if (!this.#tabs.shown) throw new Error('There is no tab yet.')
    return this.#tabs.shown
  }

  get tabs(): readonly Tab[] {
    return this.#tabs.all
  }

  isShown(tab: Tab): boolean {
    return tab === this.#tabs.shown
  }

  get permissions(): readonly Permission[] {
    return this.#permissions.all
  }

  get title(): string | null {
    const { shown } = this.#tabs
    return shown && `bough: ${shown.session.title}`
  }

  draw(size: Size): Frame {
    const { shown } = this.#tabs
    if (!shown) return tall({ lines: [], areas: [] }, size.rows)
    const { theme, tabs, showTab } = this
    return drawApp({ theme, tabs, tab: shown, panels: this.#panels.all, told: this.#told, showTab }, size)
  }

  key(data: string, areSeveral = false): void {
    const at = areSeveral ? this.now() : pressTime(data, this.now(), this.#lastSeveral)
    if (areSeveral) this.#lastSeveral = this.now()
    if (!this.#panels.hold(data, at)) this.#press(data, at)
  }

  #press(data: string, at: number): void {
    this.#told = null
    this.#lastKey = at
    this.#panels.keyComes()
    pressKey(this, this.#panels.focused, data)
    this.#options.onKey?.()
    this.redraw()
  }

  wheel(lines: number): void {
    const panel = this.#panels.all.at(-1)
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

  get lastKey(): number {
    return this.#lastKey
  }

  tabChanged(): void {
    if (this.#tabs.shown) this.#panels.tabChanged()
    this.redraw()
  }

  get panel(): Panel | null {
    return this.#panels.focused ?? null
  }

  get shownAside(): Panel | null {
    return this.#panels.aside
  }

  blurred(): void {
    this.#options.onBlur?.()
  }

  focused(): void {
    this.#tabs.shown?.look(0)
  }

  /** Time has passed. */
  tick(): void {
    this.#tabs.shown?.look()
    this.redraw()
  }

  tell(text: string, tone: Tone = 'dim'): void {
    this.#told = { text: plainLine(hereWords(text)), tone }
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
      (error: unknown) => this.tell(messageOf(error), 'bad'),
    )
  }

  /** Lets go of everything; what runs elsewhere runs on. */
  async leave(): Promise<void> {
    this.#hearing.end()
    await this.#tabs.leave()
  }

  get #onScreen(): Screen {
    if (!this.#screen) throw new Error('There is no screen yet.')
    return this.#screen
  }

  #hear(event: TreeEvent | Reset): void {
    this.#permissions.hear(event)
    this.#panels.hear(event)
    for (const tab of this.tabs) {
      if (event.kind === 'reset') tab.refresh()
      else tab.hear(event)
    }
  }
}
