import { setTimeout as pause } from 'node:timers/promises'
import type { Diff } from '../../tree/diff.ts'
import { messageOf } from '../../tree/error.ts'
import type { Reset, TreeEvent } from '../../tree/event.ts'
import type { FilesDiff } from '../../tree/file-change.ts'
import type { SessionID } from '../../tree/ids.ts'
import { plainLine } from '../../tree/plain-text.ts'
import { soonOnce } from '../../tree/soon-once.ts'
import type { ActionName, Scope } from '../keys/actions.ts'
import { isBeside } from '../panels/beside.ts'
import { type KeyHint, keyLine } from '../panels/key-line.ts'
import type { Panel } from '../panels/panel.ts'
import { type Area, type Frame, filled, type Size } from '../screen/frame.ts'
import type { Theme } from '../screen/theme.ts'
import { wrapped } from '../screen/wrap.ts'
import type { Ui } from '../ui.ts'
import { FilesPage } from './files-page.ts'
import { makeMain } from './make-main.ts'
import { sessionName } from './session-name.ts'
import { type Side, TalkPage } from './talk-page.ts'

// What is shown: what was said ◀── Tab ──▶ their files. ← and → choose the side that p and Enter are about.

export interface CompareOptions {
  /** The person goes on in a tab: what lies below this panel may close, too. */
  left?(): void
}

/** Two sessions side by side. */
export function comparePanel(ui: Ui, a: SessionID, b: SessionID, options: CompareOptions = {}): Compare {
  const panel = new Compare(ui, a, b, options)
  panel.read()
  return panel
}

/** When more may have been said. All of it is read again: not for every step of a turn. */
const telling: ReadonlySet<TreeEvent['kind']> = new Set(['turn.ended', 'session.deleted'])
/** After so much work so many times as long is rest, that the screen stays quick however long they are. */
const restFactor = 4

type Page = 'talk' | 'files'

const hints: readonly KeyHint[] = [
  [['compare.left', 'compare.right'], 'side'],
  ['compare.files', 'files'],
  ['compare.main', 'make it main here'],
  ['compare.show', 'open'],
  [['compare.up', 'compare.down'], 'scroll'],
  ['compare.close', 'close'],
]

export class Compare implements Panel {
  readonly shape = 'whole'
  readonly scopes: readonly Scope[] = ['compare', 'anywhere']
  readonly read = soonOnce(() => this.#read())
  readonly #readFiles = soonOnce(() => this.#findFiles())
  readonly #ui: Ui
  readonly #ids: readonly [SessionID, SessionID]
  readonly #options: CompareOptions
  readonly #deeds: Readonly<Partial<Record<ActionName, () => void>>> = {
    'compare.up': () => this.wheel(-1),
    'compare.down': () => this.wheel(1),
    'compare.pageUp': () => this.wheel(-this.#rows),
    'compare.pageDown': () => this.wheel(this.#rows),
    'compare.first': () => this.#scroll((page) => page.toStart()),
    'compare.last': () => this.#scroll((page) => page.toEnd()),
    'compare.left': () => this.#turnTo('a'),
    'compare.right': () => this.#turnTo('b'),
    'compare.files': () => this.#turnPage(),
    'compare.main': () => this.#makeMain(),
    'compare.show': () => this.#show(),
    'compare.close': () => this.#ui.close(this),
  }
  #diff: Diff | null = null
  #common = ''
  #files: FilesDiff | null = null
  /** Why there is nothing to see. */
  readonly #problems: Record<Page, string | null> = { talk: null, files: null }
  #page: Page = 'talk'
  #focus: Side = 'b'
  #rows = 1
  #isClosed = false
  #drawn: {
    readonly of: readonly unknown[]
    readonly talk: TalkPage | null
    readonly files: FilesPage | null
  } = {
    of: [],
    talk: null,
    files: null,
  }

  constructor(ui: Ui, a: SessionID, b: SessionID, options: CompareOptions) {
    this.#ui = ui
    this.#ids = [a, b]
    this.#options = options
  }

  hear(event: TreeEvent | Reset): void {
    if (event.kind === 'reset') this.read()
    else if (telling.has(event.kind) && this.#ids.includes(event.sessionID)) this.read()
  }

  closed(): void {
    this.#isClosed = true
  }

  wheel(lines: number): void {
    this.#scroll((page) => page.moveBy(lines))
  }

  act(name: ActionName): void {
    const does = this.#deeds[name]
    if (does) does()
    else this.#actAnywhere(name)
  }

  draw({ columns, rows }: Size): Frame {
    const { theme } = this.#ui
    const room = { columns, rows: Math.max(1, rows - 3) }
    this.#rows = Math.max(1, room.rows - 1)
    const title = this.#page === 'talk' ? ' Compare ' : ' Compare files '
    const head = [
      filled(theme.paint('strong', title) + theme.paint('dim', this.#names()), columns),
      theme.paint('dim', filled(` ${this.#common}`, columns)),
    ]
    const body = this.#body(room)
    const blank = Array.from({ length: Math.max(0, room.rows - body.length) }, () => '')
    const lines = [...head, ...body, ...blank, keyLine(this.#ui, hints, columns)]
    return { lines, areas: this.#areas(room, head.length) }
  }

  // A click on a side chooses it, where they stand side by side.
  #areas({ columns, rows }: Size, from: number): readonly Area[] {
    if (this.#page !== 'talk' || !this.#drawn.talk?.isBeside) return []
    const middle = Math.floor(columns / 2)
    return Array.from({ length: rows }, (_, i) => from + i).flatMap((row) => [
      { row, from: 0, to: middle, does: () => this.#turnTo('a') },
      { row, from: middle, to: columns, does: () => this.#turnTo('b') },
    ])
  }

  #body(room: Size): readonly string[] {
    const { theme } = this.#ui
    const problem = this.#problems[this.#page]
    if (problem !== null)
      return wrapped(problem, room.columns - 2).map((line) => ` ${theme.paint('warning', line)}`)
    this.#drawPages(room.columns, theme)
    return this.#shown?.draw(room.rows, this.#focus) ?? [theme.paint('dim', ' reading …')]
  }

  // Drawn anew only when something has changed; one stays where one was.
  #drawPages(columns: number, theme: Theme): void {
    const of = [this.#diff, this.#files, columns, theme]
    if (of.every((each, i) => each === this.#drawn.of[i])) return
    const { talk, files } = this.#drawn
    this.#drawn = {
      of,
      talk: this.#diff && new TalkPage(this.#diff, columns, theme, talk?.places),
      files: this.#files && new FilesPage(this.#files, columns, theme, files?.places),
    }
  }

  get #shown(): TalkPage | FilesPage | null {
    return this.#page === 'talk' ? this.#drawn.talk : this.#drawn.files
  }

  // Where their heads are not shown, the chosen one is marked here.
  #names(): string {
    const { a, b } = this.#diff ?? {}
    if (!a || !b) return ''
    const mark = (side: Side): string => (this.#page === 'files' && this.#focus === side ? '▸ ' : '')
    return `${mark('a')}${sessionName(a.session)} and ${mark('b')}${sessionName(b.session)}`
  }

  #scroll(way: (page: TalkPage | FilesPage) => void): void {
    if (this.#shown) way(this.#shown)
    this.#ui.redraw()
  }

  #turnTo(side: Side): void {
    this.#focus = side
    if (this.#page === 'talk') this.#drawn.talk?.toSide(side)
    this.#ui.redraw()
  }

  #turnPage(): void {
    this.#page = this.#page === 'talk' ? 'files' : 'talk'
    if (this.#page === 'files') this.#readFiles()
    this.#ui.redraw()
  }

  #makeMain(): void {
    const session = this.#diff?.[this.#focus].session
    if (session) makeMain(this.#ui, session, () => this.#leave())
  }

  #show(): void {
    this.#ui.attempt(async () => {
      await this.#ui.openTab(await this.#ui.bough.session(this.#ids[this.#focus === 'a' ? 0 : 1]))
      this.#leave()
    })
  }

  #leave(): void {
    this.#ui.close(this)
    this.#options.left?.()
  }

  #actAnywhere(name: ActionName): void {
    if (name.startsWith('scroll.')) return
    if (!isBeside(name)) this.#leave()
    this.#ui.perform(name)
  }

  async #read(): Promise<void> {
    if (this.#isClosed) return
    const { bough } = this.#ui
    const since = this.#ui.now()
    const [a, b] = this.#ids
    try {
      const diff = await bough.diff(a, b)
      const count = diff.common ? (await bough.status(a, { messageID: diff.common.id })).messages : 0
      this.#common = commonWords(diff, count)
      this.#diff = diff
      this.#problems.talk = null
    } catch (error) {
      this.#problems.talk = wordsOf(error)
    }
    if (this.#page === 'files') this.#readFiles()
    this.#ui.redraw()
    await pause(restFactor * (this.#ui.now() - since), undefined, { ref: false })
  }

  async #findFiles(): Promise<void> {
    if (this.#isClosed) return
    const [a, b] = this.#ids
    try {
      this.#files = await this.#ui.bough.compareFiles({ sessionID: a }, { sessionID: b })
      this.#problems.files = null
    } catch (error) {
      this.#problems.files = wordsOf(error)
    }
    this.#ui.redraw()
  }
}

const wordsOf = (error: unknown): string => plainLine(messageOf(error))

/** The shared beginning, as one line. */
function commonWords({ common }: Diff, count: number): string {
  if (!common) return 'They have no message in common.'
  const messages = count === 1 ? '1 message' : `${count} messages`
  const words = plainLine(common.text)
  return `${messages} in common${words === '' ? '' : `, up to “${words}”`}`
}
