import { basename } from 'node:path'
import type { Bough } from '../../bough.ts'
import type { TreeRow } from '../../tree/forest.ts'
import { shortID } from '../../tree/ids.ts'
import type { Message } from '../../tree/message.ts'
import { plainLine } from '../../tree/plain-text.ts'
import { soonOnce } from '../../tree/soon-once.ts'
import { messageLines, resultsIn } from '../compare/message-lines.ts'
import { cut, type Size } from '../screen/frame.ts'
import type { Theme } from '../screen/theme.ts'

/** So many of its last messages are read, and so many characters of each are drawn. */
const mostMessages = 10
const mostText = 4000

/** What was said last in the session that is selected. */
export class Preview {
  readonly #bough: Bough
  readonly #changed: () => void
  readonly #load = soonOnce(() => this.#read())
  #wanted: TreeRow | null = null
  #known: { readonly row: TreeRow; readonly messages: readonly Message[] } | null = null
  #drawn: { readonly of: readonly unknown[]; readonly lines: readonly string[] } | null = null

  constructor(bough: Bough, changed: () => void) {
    this.#bough = bough
    this.#changed = changed
  }

  /** Reads it when it is another, or has changed; whoever moves on quickly is not kept waiting. */
  look(row: TreeRow | null): void {
    if (isSame(row, this.#wanted)) return
    this.#wanted = row
    if (row && !row.deleted) this.#load()
  }

  /** At most so many lines: who it is, and below it the end of what was said. */
  draw(row: TreeRow | null, { columns, rows }: Size, theme: Theme): readonly string[] {
    if (!row || rows < 2) return []
    const { paint } = theme
    if (row.deleted)
      return [paint('dim', cut('This session was deleted. Others stand on its messages.', columns))]
    const head = [
      paint('strong', cut(plainLine(row.title), columns)),
      paint('dim', cut(factsOf(row), columns)),
    ]
    const lines = this.#said(row, columns, theme)
    const room = Math.max(0, rows - head.length)
    return [...head, ...lines.slice(Math.max(0, lines.length - room))]
  }

  #said(row: TreeRow, columns: number, theme: Theme): readonly string[] {
    const found = this.#known?.row.id === row.id ? this.#known.messages : null
    if (!found) return []
    const of = [found, columns, theme]
    if (this.#drawn?.of.every((each, i) => each === of[i])) return this.#drawn.lines
    const results = resultsIn(found)
    const look = { columns, theme, most: mostText, isEnd: true }
    const lines = found.flatMap((message) => messageLines(message, results, look))
    while (lines.at(-1) === '') lines.pop()
    const nothing = theme.paint('dim', cut('Nothing was said here yet.', columns))
    const shown = ['', ...(lines.length > 0 ? lines : [nothing])]
    this.#drawn = { of, lines: shown }
    return shown
  }

  async #read(): Promise<void> {
    const row = this.#wanted
    if (!row) return
    const messages = await this.#bough.messages(row.id, { limit: mostMessages })
    this.#known = { row, messages }
    this.#changed()
  }
}

const isSame = (a: TreeRow | null, b: TreeRow | null): boolean =>
  a?.id === b?.id && a?.updated === b?.updated && a?.messages === b?.messages

function factsOf({ id, agent, model, directory, messages, labels }: TreeRow): string {
  const said = `${messages} ${messages === 1 ? 'message' : 'messages'} of its own`
  const facts = [shortID(id), [agent, model].filter(Boolean).join(' '), basename(directory), said]
  return [...facts, ...labels.map((label) => `#${label}`)].map(plainLine).join(' · ')
}
