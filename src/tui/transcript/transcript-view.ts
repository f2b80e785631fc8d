import type { MessageID } from '../../tree/ids.ts'
import { callsOf, type ToolCallPart } from '../../tree/message.ts'
import { speakerOf } from '../../tree/speaker.ts'
import type { Backtrack, Stop } from '../backtrack/backtrack.ts'
import type { Area, Frame, Size } from '../screen/frame.ts'
import type { Theme } from '../screen/theme.ts'
import { foundIn, type Match } from '../search/found.ts'
import { paintFound } from '../search/paint-found.ts'
import type { CardDeed } from '../side-forks/draw-card.ts'
import type { Conversation } from './conversation.ts'
import { canOpen } from './draw-entry.ts'
import { DrawnEntries, type EntriesLook } from './drawn-entries.ts'
import { type Entry, isOfTool, isStop, type MessageEntry } from './entry.ts'
import { boxedPieces, headedPieces } from './looked-back.ts'
import type { Highlight } from './markdown.ts'
import { belowAll, linesPiece, type Piece } from './piece.ts'
import {
  atEnd,
  type Drawn,
  followed,
  revealing,
  revealingLine,
  type Shown,
  scrolled,
  type View,
  windowOf,
} from './window.ts'

/** How a transcript looks at the moment. */
interface Look extends EntriesLook {
  readonly backtrack: Backtrack
}

export interface TranscriptOptions {
  /** Null until it is loaded. */
  highlight?(): Highlight | null
  /** A button of a card is clicked. */
  press?(deed: CardDeed): void
}

/** What is searched for, and the match that the person is at. */
export interface Found {
  /** Null while nothing is typed. */
  readonly pattern: RegExp | null
  readonly match: Match | null
}

/** The part of a conversation that is on the screen. */
export class TranscriptView {
  readonly #conversation: Conversation
  readonly #opened = new Set<string>()
  readonly #owners = new WeakMap<Entry, string>()
  readonly #drawn: DrawnEntries
  /** The same, in the box of the message that is selected. */
  readonly #boxed: DrawnEntries
  readonly #highlight: () => Highlight | null
  #areAllOpened = false
  #view: View = atEnd
  /** How often the person went somewhere: what is loaded for a place that they have left leads there no more. */
  #moves = 0
  #rows = 1
  #look: Look | null = null
  /** Its matches are painted; null while nothing is searched. */
  found: Found | null = null

  constructor(conversation: Conversation, { highlight = () => null, press }: TranscriptOptions = {}) {
    this.#conversation = conversation
    this.#highlight = highlight
    const around = { callsOf: (entry: Entry) => this.#callsBefore(entry) }
    this.#drawn = new DrawnEntries((entry) => this.isOpened(entry), { ...around, ...(press && { press }) })
    this.#boxed = new DrawnEntries((entry) => this.isOpened(entry), around)
  }

  get view(): View {
    return this.#view
  }

  set view(view: View) {
    this.#moves += 1
    this.#view = view
  }

  /** Whether nothing lies below what is shown. */
  get isAtEnd(): boolean {
    return this.#view.kind === 'end'
  }

  /** Where a fork can begin, oldest first. */
  get stops(): readonly Stop[] {
    return this.#conversation.entries
      .filter((entry) => isStop(entry, this.isOpened(entry)))
      .map(({ message: { id, role } }) => ({ id, isPersons: role === 'user' }))
  }

  isOpened(entry: Entry): boolean {
    return this.#areAllOpened !== this.#opened.has(this.#ownerOf(entry))
  }

  /** Opens or folds all tool calls and reasoning. */
  toggleAll(): void {
    this.#areAllOpened = !this.#areAllOpened
    this.#opened.clear()
  }

  /** The same for one message, with what its tools gave; for one that has nothing to open, all of its turn. */
  toggle(key: string): void {
    const { entries } = this.#conversation
    const at = entries.findIndex((entry) => entry.key === key)
    const entry = entries[at]
    if (!entry) return
    const steps = canOpen(entry) ? [entry] : turnAround(entries, at).filter(canOpen)
    const areOpened = steps.some((step) => this.isOpened(step))
    for (const step of steps) {
      if (areOpened === this.#areAllOpened) this.#opened.add(this.#ownerOf(step))
      else this.#opened.delete(this.#ownerOf(step))
    }
  }

  scroll(by: number): void {
    const drawn = this.#drawing()
    if (!drawn) return
    this.view = scrolled(drawn, this.#view, this.#rows, by)
    this.#loadWhatIsAbove(drawn)
  }

  scrollPages(by: number): void {
    this.scroll(by * Math.max(1, this.#rows - 2))
  }

  /** To the very first message, which may have to be loaded. */
  async toStart(): Promise<void> {
    const isStillWanted = this.#setOut()
    while (this.#conversation.hasOlder && isStillWanted()) await this.#conversation.loadOlder()
    const first = this.#conversation.entries[0]
    if (first && isStillWanted()) this.view = { kind: 'at', key: first.key, line: 0 }
  }

  toEnd(): void {
    this.view = atEnd
  }

  /** Brings a message onto the screen. */
  reveal(id: MessageID): void {
    const drawn = this.#drawing()
    if (!drawn) return
    this.view = revealing(drawn, this.#view, this.#rows, id)
    this.#loadWhatIsAbove(drawn)
  }

  /** Brings what was found onto the screen; what it stands in is opened. */
  async revealMatch(match: Match): Promise<void> {
    const isStillWanted = this.#setOut()
    await this.#conversation.loadBackTo(match.messageID)
    if (!isStillWanted()) return
    const drawn = this.#drawing()
    const index = drawn?.entries.findLastIndex(({ key }) => key === match.messageID) ?? -1
    const entry = drawn?.entries[index]
    if (!drawn || !entry) return
    if (match.isFolded && !this.isOpened(entry)) this.toggle(entry.key)
    const place = foundIn(drawn.piecesOf(entry, index), match)
    const at = { kind: 'at', key: entry.key, ...place } as const
    this.view = revealingLine(drawn, this.#view, this.#rows, at)
  }

  /** `pick` is told which message is clicked while the person looks back. */
  draw(
    { columns, rows }: Size,
    theme: Theme,
    backtrack: Backtrack,
    pick: (id: MessageID) => void = () => {},
  ): Frame {
    this.#rows = Math.max(1, rows)
    this.#look = { columns, theme, backtrack, highlight: this.#highlight() }
    const drawn = this.#drawing()
    if (!drawn) return { lines: [], areas: [] }
    this.#view = followed(drawn, this.#view, rows)
    const shown = windowOf(drawn, this.#view, rows)
    // Short conversations stand at the top, as in a letter.
    const lines = this.#painted(shown, drawn, theme)
    const areas = shown.flatMap((each, row) => this.#areasOf(each, row, columns, backtrack, pick))
    return { lines: [...lines, ...Array.from({ length: rows - lines.length }, () => '')], areas }
  }

  #painted(shown: readonly Shown<Entry>[], drawn: Drawn<Entry>, { paint }: Theme): readonly string[] {
    const { pattern = null, match = null } = this.found ?? {}
    if (pattern === null) return shown.map(({ text }) => text)
    const index = drawn.entries.findLastIndex(({ key }) => key === match?.messageID)
    const entry = drawn.entries[index]
    const pieces = entry ? drawn.piecesOf(entry, index) : []
    const at = match && foundIn(pieces, match)
    const isAt = ({ piece, line }: Shown<Entry>): boolean =>
      at !== null && pieces[at.piece.index] === piece && at.line === line
    return shown.map((each) => paintFound(each.text, pattern, paint, isAt(each)))
  }

  #areasOf(
    { entry, piece, line }: Shown<Entry>,
    row: number,
    columns: number,
    backtrack: Backtrack,
    pick: (id: MessageID) => void,
  ): readonly Area[] {
    if (backtrack.on) {
      if (!isStop(entry, this.isOpened(entry))) return []
      return [{ row, from: 0, to: columns, does: () => pick(entry.key) }]
    }
    if (piece.opens) return [{ row, from: 0, to: columns, does: () => this.toggle(entry.key) }]
    return (piece.clicks ?? []).flatMap(({ line: at, from, to, does }) =>
      at === line ? [{ row, from, to, does }] : [],
    )
  }

  /** Sets out for somewhere; tells whether the person has gone nowhere else since. */
  #setOut(): () => boolean {
    this.#moves += 1
    const move = this.#moves
    return () => move === this.#moves
  }

  // The next page is loaded before the person comes to the top.
  #loadWhatIsAbove({ entries }: Drawn<Entry>): void {
    if (this.#view.kind === 'end' || !this.#conversation.hasOlder) return
    const { key } = this.#view
    if (entries.findIndex((entry) => entry.key === key) < 30) this.#conversation.loadOlder().catch(() => {})
  }

  #drawing(): Drawn<Entry> | null {
    const look = this.#look
    if (!look) return null
    const { entries } = this.#conversation
    const { backtrack, columns, theme } = look
    const plain = (entry: Entry, index: number): readonly Piece[] =>
      this.#drawn.piecesOf(entry, entries, index, look)
    if (!backtrack.on) return { entries, piecesOf: plain }
    const selected = entries.findIndex(({ key }) => key === backtrack.selected)
    const narrow = { ...look, columns: columns - 4 }
    return {
      entries,
      piecesOf: (entry, index) => {
        const head = entry.kind === 'message' ? this.#headOf(entry) : ''
        const stamp = `${head} ${index === selected} ${index > selected}`
        return this.#drawn.decorated(plain(entry, index), stamp, (pieces) => {
          if (index !== selected) return headedPieces(pieces, head, index > selected, columns, theme.paint)
          const inner = this.#boxed.bodyOf(entry, narrow)
          return [...boxedPieces(inner, head, columns, theme.paint), linesPiece(belowAll, '')]
        })
      },
    }
  }

  // What a tool gave is opened and folded with the call, also where something else was told between the two.
  #ownerOf(entry: Entry): string {
    if (!isOfTool(entry)) return entry.key
    const known = this.#owners.get(entry)
    if (known !== undefined) return known
    const { entries } = this.#conversation
    let at = entries.lastIndexOf(entry)
    while (at >= 0 && !isSaid(entries[at])) at -= 1
    const owner = entries[at]
    if (owner) this.#owners.set(entry, owner.key)
    return owner?.key ?? entry.key
  }

  #callsBefore(entry: Entry): readonly ToolCallPart[] {
    const owner = this.#ownerOf(entry)
    const found = this.#conversation.entries.find(({ key }) => key === owner)
    return found?.kind === 'message' ? callsOf(found.message.parts) : []
  }

  #headOf(entry: MessageEntry): string {
    const number = this.#conversation.numberOf(entry)
    return `${speakerOf(entry.message)}${number === null ? '' : ` · ${number}`}`
  }
}

/** Whether somebody says or does it; what a tool gave, notes and cards are not. */
const isSaid = (entry: Entry | undefined): boolean =>
  (entry?.kind === 'message' || entry?.kind === 'draft') && !isOfTool(entry)

/** The person's message and all that came of it, around an entry. */
function turnAround(entries: readonly Entry[], at: number): readonly Entry[] {
  const isPersons = (entry: Entry): boolean => entry.kind === 'message' && entry.message.role === 'user'
  const next = entries.findIndex((entry, i) => i > at && isPersons(entry))
  const first = entries.findLastIndex((entry, i) => i <= at && isPersons(entry))
  return entries.slice(Math.max(0, first), next === -1 ? entries.length : next)
}
