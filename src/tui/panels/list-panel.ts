import { fuzzyFilter, Input } from '@earendil-works/pi-tui'
import type { ActionName, Scope } from '../keys/actions.ts'
import { boxed } from '../screen/box.ts'
import { type Area, cut, ends, type Frame, filled, type Size, widthOf } from '../screen/frame.ts'
import type { Ui } from '../ui.ts'
import type { Panel } from './panel.ts'
import { type ListPlace, type ListStep, listStart, shown, stepped } from './scrolled-list.ts'

export interface ListItem {
  /** What it is known by in a list that changes while it is shown: the selected one stays selected, wherever it comes to stand. */
  readonly key?: string
  readonly text: string
  /** At the right: a key, an age. */
  readonly detail?: string
  /** In fewer columns the detail is left out. */
  readonly detailFrom?: number
  does(): void
}

export interface ListOptions {
  readonly title: string
  readonly items: readonly ListItem[]
  readonly foot?: string
  /** Said where nothing is there, or nothing fits what is typed. */
  readonly empty: string
  /** Stays open when something is chosen. */
  readonly isKept?: boolean
}

const widest = 76
const tallest = 18

/** Where keys of lists lead. */
export const listSteps: Readonly<Partial<Record<ActionName, ListStep>>> = {
  'list.up': 'up',
  'list.down': 'down',
  'list.pageUp': 'pageUp',
  'list.pageDown': 'pageDown',
  'list.first': 'first',
  'list.last': 'last',
}

/** Things to choose from, fewer as the person types. */
export class ListPanel implements Panel {
  readonly shape = 'box'
  readonly scopes: readonly Scope[] = ['list']
  readonly #ui: Ui
  readonly #options: ListOptions
  readonly #filter = new Input()
  #place: ListPlace = listStart
  /** The key of the selected one. */
  #key: string | undefined
  #rows = 1

  constructor(ui: Ui, options: ListOptions) {
    this.#ui = ui
    this.#options = options
    this.#filter.focused = true
  }

  act(name: ActionName): void {
    const way = listSteps[name]
    const found = this.#found()
    const place = this.#placeIn(found)
    if (way) this.#select(stepped(place, way, found.length, this.#rows), found)
    else if (name === 'list.close') this.#ui.close(this)
    else if (name === 'list.choose') this.#choose(found[place.selected])
    this.#ui.redraw()
  }

  type(data: string): void {
    this.#filter.handleInput(data)
    this.#select(listStart, this.#found())
    this.#ui.redraw()
  }

  wheel(lines: number): void {
    this.act(lines < 0 ? 'list.up' : 'list.down')
  }

  draw({ columns, rows }: Size): Frame {
    const { title, foot = 'Enter chooses · Esc closes', empty } = this.#options
    const { paint } = this.#ui.theme
    const width = Math.min(columns, widest)
    const room = width - 4
    this.#rows = Math.max(1, Math.min(rows - 4, tallest))
    const found = this.#found()
    this.#select(shown(this.#placeIn(found), found.length, this.#rows), found)
    const { selected, top } = this.#place
    const visible = found.slice(top, top + this.#rows)
    const lines = visible.map((item, i) => {
      const { text } = item
      const detail = detailOf(item, room, columns)
      if (top + i === selected) return paint('selected', ends(` ${text}`, ` ${detail} `, room))
      return ends(` ${text}`, paint('dim', ` ${detail} `), room)
    })
    const areas: Area[] = visible.map((item, i) => ({
      row: i + 1,
      from: 0,
      to: room,
      does: () => this.#choose(item),
    }))
    const body = lines.length > 0 ? lines : [paint('dim', cut(` ${empty}`, room))]
    const typed = this.#filter.render(room)[0] ?? ''
    const height = Math.max(body.length, Math.min(this.#options.items.length, this.#rows))
    const blank = Array.from({ length: height - body.length }, () => '')
    return boxed({ lines: [filled(typed, room), ...body, ...blank], areas }, width, { paint, title, foot })
  }

  #found(): readonly ListItem[] {
    const typed = this.#filter.getValue().trim()
    const { items } = this.#options
    return typed === ''
      ? items
      : fuzzyFilter([...items], typed, ({ text, detail }) => `${text} ${detail ?? ''}`)
  }

  #select(place: ListPlace, found: readonly ListItem[]): void {
    this.#place = place
    this.#key = found[place.selected]?.key
  }

  #placeIn(found: readonly ListItem[]): ListPlace {
    const at = this.#key === undefined ? -1 : found.findIndex(({ key }) => key === this.#key)
    return at === -1 ? this.#place : { ...this.#place, selected: at }
  }

  #choose(item: ListItem | undefined): void {
    if (!item) return
    if (!this.#options.isKept) this.#ui.close(this)
    item.does()
  }
}

// The text comes first: it leaves the detail what it does not need itself, and two fifths at least.
function detailOf({ text, detail = '', detailFrom = 0 }: ListItem, room: number, columns: number): string {
  if (columns < detailFrom) return ''
  return cut(detail, Math.max(Math.floor(room * 0.4), room - widthOf(text) - 3))
}
