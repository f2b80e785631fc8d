import type { Diff } from '../../tree/diff.ts'
import type { Message } from '../../tree/message.ts'
import { plainLine } from '../../tree/plain-text.ts'
import { usageWords } from '../../tree/usage-words.ts'
import { cut, filled } from '../screen/frame.ts'
import type { Theme } from '../screen/theme.ts'
import { messageLines, resultsIn } from './message-lines.ts'
import { ScrolledLines, type ScrollPlace } from './scrolled-lines.ts'

export type Side = 'a' | 'b'

/** From so many columns on the two stand side by side. */
const sideBySide = 80
/** So many characters of a message are drawn. */
const mostText = 50_000
const between = ' │ '

/** What is in a column: what was said, and where one is below the other the head of each side. */
type Item = Message | Side

/** What both sides said after they parted, drawn for one width. */
export class TalkPage {
  readonly isBeside: boolean
  readonly #theme: Theme
  readonly #diff: Diff
  readonly #columns: number
  readonly #parts: readonly ScrolledLines<Item>[]

  /** `places` are those of such a page before; they count where it looks the same. */
  constructor(diff: Diff, columns: number, theme: Theme, places: readonly ScrollPlace[] = []) {
    this.#diff = diff
    this.#theme = theme
    this.isBeside = columns >= sideBySide
    this.#columns = this.isBeside ? Math.floor((columns - between.length) / 2) : columns
    const { a, b } = diff
    const contents: readonly (readonly Item[])[] = this.isBeside
      ? [a.tail, b.tail]
      : [['a', ...a.tail, 'b', ...b.tail]]
    const results = resultsIn([...a.tail, ...b.tail])
    const look = { columns: this.#columns, theme, most: mostText }
    const draw = (item: Item): readonly string[] =>
      typeof item === 'string' ? [headMarks[item]] : messageLines(item, results, look)
    this.#parts = contents.map(
      (items, i) => new ScrolledLines(items, draw, places.length === contents.length ? places[i] : undefined),
    )
  }

  get places(): readonly ScrollPlace[] {
    return this.#parts.map(({ place }) => place)
  }

  moveBy(lines: number): void {
    for (const part of this.#parts) part.moveBy(lines)
  }

  toStart(): void {
    for (const part of this.#parts) part.toItem(0)
  }

  toEnd(): void {
    for (const part of this.#parts) part.toEnd()
  }

  /** Brings a side into sight, where they are not both. */
  toSide(side: Side): void {
    if (!this.isBeside) this.#parts[0]?.toItem(side === 'a' ? 0 : this.#diff.a.tail.length + 1)
  }

  draw(rows: number, focus: Side): readonly string[] {
    const [first, second] = this.#parts
    if (!second) return (first?.draw(rows) ?? []).map((line) => this.#withHead(line, focus))
    const room = Math.max(1, rows - 1)
    const [a, b] = [first?.draw(room) ?? [], second.draw(room)]
    const edge = this.#theme.paint('dim', between)
    const body = Array.from(
      { length: room },
      (_, i) => `${filled(a[i] ?? '', this.#columns)}${edge}${b[i] ?? ''}`,
    )
    return [`${this.#head('a', focus)}${edge}${this.#head('b', focus)}`, ...body]
  }

  #withHead(line: string, focus: Side): string {
    if (line === headMarks.a) return this.#head('a', focus)
    return line === headMarks.b ? this.#head('b', focus) : line
  }

  #head(side: Side, focus: Side): string {
    const { session, tail, usage } = this.#diff[side]
    const cost = usageWords(usage)
    const after = `${tail.length} ${tail.length === 1 ? 'message' : 'messages'}${cost === '' ? '' : `, ${cost}`}`
    const mark = side === focus ? '▸ ' : '  '
    const title = cut(plainLine(session.title), Math.max(4, this.#columns - mark.length - after.length - 3))
    const text = filled(`${mark}${title} · ${after}`, this.#columns)
    return this.#theme.paint(side === focus ? 'selected' : 'dim', text)
  }
}

// Stand for a head, that changes with what is chosen; nothing that was said looks like them.
const headMarks = { a: '\u0000a', b: '\u0000b' } as const satisfies Record<Side, string>
