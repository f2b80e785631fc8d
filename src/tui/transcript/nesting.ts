import { indentOf, isRule } from './block-lines.ts'

/** Quotations and items that stand in each other: at most so many. */
const deepest = 8

const quoteMarks = /^(?: {0,3}>)+/
const mark = /^ *(>|(?:[-*+]|\d{1,9}[.)])(?= |$)) */

/**
 * Keeps the lines of a block from standing in too many quotations and lists: those are drawn one in another, each narrower, and
 * thousands would overflow the stack. Marks that go deeper count as text.
 */
export class Nesting {
  readonly #columns: number
  readonly #most: number
  #quotes = 0
  /** Where the words of the items begin that the line before stood in. */
  #items: number[] = []

  constructor(columns: number) {
    this.#columns = columns
    this.#most = Math.max(1, Math.min(deepest, Math.floor(columns / 6)))
  }

  copy(): Nesting {
    const copy = new Nesting(this.#columns)
    copy.#quotes = this.#quotes
    copy.#items = [...this.#items]
    return copy
  }

  /** The next line, with its marks as far as they count. */
  shallow(line: string): string {
    if (line.trim() === '') return line
    const quoted = quoteMarks.exec(line)?.[0] ?? ''
    const quotes = quoted.split('>').length - 1
    if (quotes > this.#most) return asText(line, endOfQuotes(quoted, this.#most))
    if (quotes !== this.#quotes) this.#items = []
    this.#quotes = quotes
    const indent = indentOf(line.slice(quoted.length))
    this.#items = this.#items.filter((begins) => begins <= indent)
    return this.#withItems(line, quoted.length, quotes + this.#items.length)
  }

  #withItems(line: string, from: number, around: number): string {
    let at = from
    let depth = around
    let isQuoted = false
    for (;;) {
      const rest = line.slice(at)
      const [found, kind] = mark.exec(rest) ?? []
      if (found === undefined || isRule(rest)) return line
      // Below the item that it stands in: further in it would be drawn there.
      if (depth >= this.#most && at === from)
        return `${line.slice(0, from)}${' '.repeat(this.#items.at(-1) ?? 0)}${asText(rest.trimStart(), 0)}`
      if (depth >= this.#most) return asText(line, at)
      at += found.length
      depth += 1
      isQuoted ||= kind === '>'
      if (!isQuoted) this.#items.push(at - from)
    }
  }
}

/** Where so many marks of quotations end. */
function endOfQuotes(quoted: string, count: number): number {
  let end = 0
  for (let i = 0; i < count; i++) end = quoted.indexOf('>', end) + 1
  return end
}

/** A line in which the mark that comes next is none. */
const asText = (line: string, at: number): string =>
  line.slice(0, at) + line.slice(at).replace(/[-*+>.)]/, '\\$&')
