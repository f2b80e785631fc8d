import type { Block, CodeBlock } from './block.ts'
import {
  closes,
  type Fence,
  fenceIn,
  indentOf,
  isHeading,
  isRule,
  isTableRule,
  itemIn,
  mayClose,
  shownLine,
} from './block-lines.ts'
import { cutOf, longest } from './long-line.ts'
import { Nesting } from './nesting.ts'

// Reads Markdown line by line, and tells the blocks that are complete: whatever comes later, they stay as they are. A block is
// open until a line comes that does not belong to it:
//
//   text ── a blank line and then any other; a fence, a heading, an item ──▶ closed
//   item ── the next item; after a blank line one that is not indented ──▶ closed
//   code ── the closing fence ──▶ closed
//
// What is too long is closed on the way, at the end of a line, so that no block takes long to draw.

interface Open {
  readonly kind: 'paragraph' | 'heading' | 'table' | 'item' | 'indented' | 'code'
  readonly from: number
  readonly hasGap: boolean
  readonly lines: string[]
  size: number
  /** Of an item: how far in it is, and how much further it was moved by another number. */
  readonly indent: number
  readonly moved: number
  readonly fence: Fence | null
  readonly isFirst: boolean
  /** Of a part of code: what comes before it. */
  readonly before: readonly string[]
  readonly nesting: Nesting
}

/** How a piece of code comes to its end. */
type CodeEnd = Partial<Pick<CodeBlock, 'isLast' | 'isOpen' | 'unfinished'>>

type Bound = { readonly lines: number; readonly size: number }

const short: Bound = { lines: 50, size: longest }
const long: Bound = { lines: 300, size: 5 * longest }
const bounds: Readonly<Record<Open['kind'], Bound>> = {
  paragraph: short,
  heading: short,
  table: long,
  item: long,
  indented: long,
  code: { lines: 80, size: 2 * longest },
}

/** From here on a piece of code may end before a line that is not indented, after an empty one: there something new begins. */
const enoughCode = 20

/** So many lines before a part of code are looked at, to see what goes on in it. */
const mostBefore = 240

export class BlockReader {
  readonly #columns: number
  /** How much of the text was taken in. */
  #read = 0
  #open: Open | null = null
  #blanks = 0
  #hasBlocks = false
  /** What was read last is the beginning of the line that goes on. */
  #isWithinLine = false
  /** The number of the item before, while its list goes on. */
  #number: number | null = null
  #closed: Block[] = []

  constructor(columns: number) {
    this.#columns = columns
  }

  /** The blocks that are complete since it was asked last. The text begins as it did then. */
  take(text: string): readonly Block[] {
    for (;;) {
      const found = text.indexOf('\n', this.#read)
      const end = found === -1 ? text.length : found
      if (end - this.#read > longest) {
        const cut = cutOf(text, this.#read, this.#columns)
        this.#take(text.slice(this.#read, cut), cut)
        this.#isWithinLine = true
      } else if (found === -1) {
        const closed = this.#closed
        this.#closed = []
        return closed
      } else {
        this.#take(text.slice(this.#read, end), end + 1)
        this.#isWithinLine = false
      }
    }
  }

  /** What comes after them, as if the text were over. */
  rest(text: string): readonly Block[] {
    const ahead = this.#copy()
    const line = text.slice(this.#read)
    if (line !== '') ahead.#line(line, true)
    else ahead.#close({ isOpen: true })
    return ahead.#closed
  }

  #copy(): BlockReader {
    const copy = new BlockReader(this.#columns)
    copy.#read = this.#read
    const open = this.#open
    copy.#open = open && { ...open, lines: [...open.lines], nesting: open.nesting.copy() }
    copy.#blanks = this.#blanks
    copy.#hasBlocks = this.#hasBlocks
    copy.#isWithinLine = this.#isWithinLine
    copy.#number = this.#number
    return copy
  }

  #take(line: string, next: number): void {
    this.#line(line, false)
    this.#read = next
  }

  /** A line, or the last one, which may go on: then all is closed. */
  #line(raw: string, isUnfinished: boolean): void {
    const line = shownLine(raw)
    if (this.#open?.kind === 'code') this.#codeLine(this.#open, line, isUnfinished)
    else {
      if (this.#isWithinLine) this.#restOfLine(line)
      else if (line.trim() === '') this.#blanks += 1
      else this.#textLine(line)
      if (isUnfinished) this.#close()
    }
  }

  #codeLine(open: Open, line: string, isUnfinished: boolean): void {
    const fence = open.fence ?? { indent: 0, mark: '```', language: '' }
    const code = withoutIndent(line, fence.indent)
    if (closes(line, fence)) this.#close({ isLast: true })
    else if (isUnfinished) this.#close({ isOpen: true, unfinished: mayClose(line, fence) ? null : code })
    else {
      const isNew = open.lines.length >= enoughCode && open.lines.at(-1)?.trim() === '' && /^\S/.test(code)
      if (isNew || isFull(open)) {
        this.#close()
        const before = [...open.before, ...open.lines].slice(-mostBefore)
        this.#push(this.#begin({ kind: 'code', fence, isFirst: false, before }), code)
      } else this.#push(open, code)
    }
  }

  #restOfLine(line: string): void {
    this.#close()
    this.#push(this.#begin({ kind: 'paragraph' }), line)
  }

  #textLine(line: string): void {
    const open = this.#open
    const indent = indentOf(line)
    const isInside =
      (open?.kind === 'item' && indent >= open.indent + 2) || (open?.kind === 'indented' && indent >= 4)
    const fence = isInside || indent > 3 ? null : fenceIn(line)
    if (fence) {
      this.#close()
      this.#begin({ kind: 'code', fence, hasGap: true })
    } else if (open && isInside) this.#inside(open, line)
    else if (open === null || this.#blanks > 0 || isBeginning(line, open)) this.#following(line)
    else if (isFull(open)) {
      this.#close()
      this.#push(this.#begin({ kind: 'paragraph' }), line)
    } else {
      this.#push(open, line)
      if (open.lines.length === 2 && isTableRule(line)) this.#open = { ...open, kind: 'table' }
    }
  }

  #inside(open: Open, line: string): void {
    if (isFull(open)) {
      this.#close()
      this.#push(this.#begin({ kind: 'paragraph' }), line.trimStart())
      return
    }
    for (; this.#blanks > 0; this.#blanks--) this.#push(open, '')
    this.#push(open, ' '.repeat(open.moved) + line)
  }

  #following(line: string): void {
    const before = this.#open?.kind ?? null
    this.#close()
    const item = indentOf(line) <= 3 || before === 'item' ? itemIn(line) : null
    if (item) {
      const number = item.number === null || this.#number === null ? item.number : this.#number + 1
      // Items are counted from the first one on, whatever their numbers are.
      const numbered = number === item.number ? line : line.replace(/\d+/, String(number))
      const moved = numbered.length - line.length
      const hasGap = before === null || before === 'heading'
      this.#push(
        this.#begin({ kind: 'item', hasGap, indent: item.indent, moved: Math.max(0, moved) }),
        numbered,
      )
      this.#number = number
      return
    }
    const kind = isHeading(line) ? 'heading' : indentOf(line) >= 4 ? 'indented' : 'paragraph'
    this.#push(this.#begin({ kind, hasGap: true }), line)
  }

  #begin(begun: Partial<Open> & Pick<Open, 'kind'>): Open {
    const hasGap = this.#hasBlocks && (begun.hasGap === true || this.#blanks > 0)
    const open: Open = {
      ...{ from: this.#read, lines: [], size: 0, indent: 0, moved: 0, fence: null, isFirst: true },
      before: [],
      ...begun,
      nesting: new Nesting(this.#columns),
      hasGap,
    }
    this.#open = open
    this.#blanks = 0
    this.#hasBlocks = true
    if (begun.kind !== 'item') this.#number = null
    return open
  }

  #push(open: Open, line: string): void {
    open.lines.push(open.kind === 'code' ? line : open.nesting.shallow(line))
    open.size += line.length + 1
  }

  #close({ isLast = false, isOpen = false, unfinished = null }: CodeEnd = {}): void {
    const open = this.#open
    if (!open) return
    this.#open = null
    const { from, hasGap, lines, fence, isFirst, before } = open
    const part = { lines, before, unfinished, isFirst, isLast, isOpen }
    this.#closed.push(
      fence
        ? { kind: 'code', from, hasGap, language: fence.language, ...part }
        : { kind: 'text', from, hasGap, text: lines.join('\n') },
    )
  }
}

const isFull = ({ kind, lines, size }: Open): boolean =>
  lines.length >= bounds[kind].lines || size >= bounds[kind].size

/** Whether a line ends the block before it, without a blank line between. */
function isBeginning(line: string, { kind, indent }: Open): boolean {
  if (kind === 'heading' || isHeading(line)) return true
  const item = itemIn(line)
  if (kind === 'item') return item !== null ? item.indent < indent + 2 : isRule(line)
  // Only the first item of a list can end a paragraph: a line may begin with a number by chance.
  return kind === 'paragraph' && item !== null && item.indent <= 3 && item.hasText && (item.number ?? 1) === 1
}

const withoutIndent = (line: string, indent: number): string => line.slice(Math.min(indent, indentOf(line)))
