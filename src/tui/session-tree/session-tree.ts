import { messageOf } from '../../tree/error.ts'
import type { Reset, TreeEvent } from '../../tree/event.ts'
import type { SessionID } from '../../tree/ids.ts'
import type { ActionName, Scope } from '../keys/actions.ts'
import { isBeside } from '../panels/beside.ts'
import type { Panel } from '../panels/panel.ts'
import type { ListStep } from '../panels/scrolled-list.ts'
import type { Frame, Size } from '../screen/frame.ts'
import type { Ui } from '../ui.ts'
import { Deeds } from './deeds.ts'
import { drawPanel } from './draw-panel.ts'
import { isLooking, nextAgent, nextKind, type TreeWish } from './filter.ts'
import type { LineKey } from './fold.ts'
import { LiveForest } from './live-forest.ts'
import { Marks } from './marks.ts'
import { Preview } from './preview.ts'
import { TreeView } from './tree-view.ts'
import { Typing } from './typing.ts'

// What keys mean here:
//
//   browsing ── / r l ──▶ typing (what is looked for, a title, labels) ── Enter: it counts · Esc: as before ──▶ browsing
//
// Esc while browsing: what is looked for is forgotten; where nothing is, the panel closes.

const steps: Readonly<Partial<Record<ActionName, ListStep>>> = {
  'tree.up': 'up',
  'tree.down': 'down',
  'tree.pageUp': 'pageUp',
  'tree.pageDown': 'pageDown',
  'tree.first': 'first',
  'tree.last': 'last',
  'list.up': 'up',
  'list.down': 'down',
  'list.pageUp': 'pageUp',
  'list.pageDown': 'pageDown',
}

/** The tree of all sessions of this project. With a mark, another session is wanted to compare that one with. */
export function sessionTree(ui: Ui, markedID?: SessionID): SessionTree {
  const tree = new SessionTree(ui, markedID)
  ui.attempt(() => tree.load())
  return tree
}

/** The whole screen: sessions as a drawn tree, and what was said last in the selected one. */
export class SessionTree implements Panel {
  readonly shape = 'whole'
  readonly view: TreeView
  readonly forest: LiveForest
  readonly preview: Preview
  readonly marks: Marks
  readonly ui: Ui
  readonly #deeds: Readonly<Partial<Record<ActionName, () => void>>>
  #typing: Typing | null = null

  constructor(ui: Ui, markedID?: SessionID) {
    const { bough } = ui
    this.ui = ui
    this.forest = new LiveForest({
      ...{ bough, now: () => ui.now(), changed: () => this.#refresh() },
      failed: (error) => ui.tell(messageOf(error), 'bad'),
    })
    this.view = new TreeView(this.forest, ui.tab.session.id)
    this.preview = new Preview(bough, () => ui.redraw())
    this.marks = new Marks(markedID)
    this.#deeds = this.#browsingDeeds()
  }

  get typing(): Typing | null {
    return this.#typing
  }

  get scopes(): readonly Scope[] {
    return this.#typing ? ['list'] : ['tree', 'anywhere']
  }

  load(): Promise<void> {
    return this.forest.load()
  }

  draw(room: Size): Frame {
    return drawPanel(this, room)
  }

  act(name: ActionName): void {
    const way = steps[name]
    if (way) this.view.step(way)
    else if (name.startsWith('list.')) this.#actTyping(name)
    else if (this.#deeds[name]) this.#deeds[name]()
    else this.#actAnywhere(name)
    this.preview.look(this.view.selectedRow)
    this.ui.redraw()
  }

  type(data: string): void {
    this.#typing?.type(data)
    if (this.#typing?.what === 'filter') this.wish({ text: this.#typing.text })
    this.preview.look(this.view.selectedRow)
    this.ui.redraw()
  }

  wheel(lines: number): void {
    this.view.moveBy(lines)
    this.preview.look(this.view.selectedRow)
    this.ui.redraw()
  }

  /** Something has changed somewhere. */
  hear(event: TreeEvent | Reset): void {
    this.forest.hear(event)
  }

  closed(): void {
    this.forest.close()
  }

  /** A click: selects a line; on the selected one, and on what only folds, it is as Enter. */
  click(key: LineKey): void {
    const isSelected = this.view.selected?.key === key
    this.view.select(key)
    if (isSelected || this.view.selected?.kind !== 'session') this.act('tree.show')
    this.preview.look(this.view.selectedRow)
    this.ui.redraw()
  }

  wish(wish: Partial<TreeWish>): void {
    this.view.wish = { ...this.view.wish, ...wish }
  }

  #refresh(): void {
    this.view.refresh()
    this.preview.look(this.view.selectedRow)
    this.ui.redraw()
  }

  #actTyping(name: ActionName): void {
    const typing = this.#typing
    if (!typing || (name !== 'list.choose' && name !== 'list.close')) return
    this.#typing = null
    if (name === 'list.choose') typing.done(typing.text)
    else typing.givenUp?.()
  }

  /** What keys do while nothing is typed. */
  #browsingDeeds(): Readonly<Partial<Record<ActionName, () => void>>> {
    const { view, ui } = this
    const deeds = new Deeds(ui, this)
    return {
      'tree.fold': () => view.fold(),
      'tree.unfold': () => view.unfold(),
      'tree.foldAll': () => view.foldAll(),
      'tree.parent': () => view.toParent(),
      'tree.show': () => (view.selected?.kind === 'session' ? deeds.show() : view.toggle()),
      'tree.fork': () => deeds.fork(),
      'tree.mark': () => deeds.mark(),
      'tree.compare': () => deeds.compare(),
      'tree.archive': () => deeds.archive(),
      'tree.filter': () => this.#look(),
      'tree.rename': () => this.#type((row) => deeds.renaming(row)),
      'tree.label': () => this.#type((row) => deeds.labelling(row)),
      'tree.kind': () => this.wish({ kind: nextKind(view.wish.kind) }),
      'tree.agent': () => this.wish({ agent: nextAgent(view.agents, view.wish.agent) }),
      'tree.archived': () => this.wish({ archived: !view.wish.archived }),
      'tree.projects': () => this.wish({ project: view.isOneProject ? null : view.project }),
      'tree.close': () => {
        if (isLooking(view.wish)) this.wish({ kind: null, agent: null, text: '' })
        else ui.close(this)
      },
    }
  }

  #actAnywhere(name: ActionName): void {
    if (name.startsWith('scroll.')) return
    if (!isBeside(name)) this.ui.close(this)
    if (name !== 'tree.open') this.ui.perform(name)
  }

  #look(): void {
    const { text: before } = this.view.wish
    this.#typing = new Typing('filter', 'Find', before, {
      done: (text) => this.wish({ text }),
      givenUp: () => this.wish({ text: '' }),
    })
  }

  #type(begin: (row: NonNullable<TreeView['selectedRow']>) => Typing): void {
    const row = this.view.selectedRow
    if (row && !row.deleted) this.#typing = begin(row)
    else this.ui.tell('Go to a session first.', 'warning')
  }
}
