import { callWords } from '../../tree/drawn/tool-words.ts'
import type { Message, Part, Role, ToolCallPart, ToolResultPart } from '../../tree/message.ts'
import { plainLine, plainText } from '../../tree/plain-text.ts'
import { hereWords } from '../commands/here-words.ts'
import { cut } from '../screen/frame.ts'
import type { Theme, Tone } from '../screen/theme.ts'
import { wrapped } from '../screen/wrap.ts'
import { type CardDeed, drawCard } from '../side-forks/draw-card.ts'
import type { CardEntry, Entry } from './entry.ts'
import { foldOf } from './folded-text.ts'
import { type Highlight, MarkdownFlow } from './markdown.ts'
import { belowAll, LazyPiece, linesPiece, type Piece } from './piece.ts'
import { beginnings, isFolded } from './searchable.ts'
import { chunksOf } from './text-chunks.ts'
import { callLines, outputLines } from './tool-lines.ts'

export interface EntryLook {
  readonly columns: number
  readonly theme: Theme
  /** Tool calls and reasoning are shown whole. */
  readonly isOpened: boolean
  readonly highlight?: Highlight | null
  /** The Markdown of a part that may have grown since it was drawn; absent: it is drawn for the first time. */
  flowOf?(part: number): MarkdownFlow
  /** Of what a tool gave: the calls that it may have come of. */
  readonly calls?: readonly ToolCallPart[]
  /** A button of a card is clicked. */
  press?(deed: CardDeed): void
}

/** An entry as lines, with an empty one below; none where there is nothing to see. */
export const drawEntry = (entry: Entry, look: EntryLook): readonly string[] =>
  withSpace(entryPieces(entry, look)).flatMap(({ lines }) => lines)

/** Pieces with an empty line below them; none where there are none. */
const withSpace = (pieces: readonly Piece[]): readonly Piece[] =>
  pieces.length === 0 ? pieces : [...pieces, linesPiece(belowAll, '')]

/** What an entry looks like, in pieces that are drawn when they are looked at. */
export function entryPieces(entry: Entry, look: EntryLook): readonly Piece[] {
  switch (entry.kind) {
    case 'message':
      return [...messagePieces(entry.message, entry.results, look), ...statusPieces(entry.message, look)]
    case 'draft':
      return messagePieces(entry, entry.results, look)
    case 'note':
      return noted(hereWords(entry.text), entry.tone === 'fork' ? 'accent' : entry.tone, 0, look)
    case 'card':
      return [cardPiece(entry, look)]
  }
}

/** Whether it only does something and says nothing: such entries stand together, with no empty lines between. */
export function isCompact(entry: Entry): boolean {
  if (entry.kind !== 'message' && entry.kind !== 'draft') return false
  const { role, parts } = entry.kind === 'message' ? entry.message : entry
  const isSilent = parts.every((part) => part.type !== 'text' || part.text.trim() === '')
  return role === 'assistant' && isSilent && canOpen(entry)
}

/** Whether there is something in it to open. */
export function canOpen(entry: Entry): boolean {
  if (entry.kind !== 'message' && entry.kind !== 'draft') return false
  const { role, parts } = entry.kind === 'message' ? entry.message : entry
  return parts.some((part) => isFolded(role, part))
}

/** The Markdown of an answer, before anything of it was drawn. */
export const newFlow = ({ columns, theme, highlight = null }: EntryLook): MarkdownFlow =>
  new MarkdownFlow({ columns: columns - 2, theme, highlight }, '  ')

interface Said {
  readonly role: Role
  readonly parts: readonly Part[]
}

function messagePieces(said: Said, results: readonly ToolResultPart[], look: EntryLook): readonly Piece[] {
  const from = beginnings(said.parts)
  const pieces: Piece[] = []
  let last: Part | null = null
  for (const [i, part] of said.parts.entries()) {
    const begins = from[i] ?? 0
    const drawn = partPieces(said, i, begins, results, look)
    // Words stand apart from what is done.
    if (last && drawn.length > 0 && (part.type === 'text') !== (last.type === 'text'))
      pieces.push(linesPiece(begins, ''))
    pieces.push(...drawn)
    if (drawn.length > 0) last = part
  }
  return pieces
}

function partPieces(
  { role, parts }: Said,
  index: number,
  from: number,
  results: readonly ToolResultPart[],
  look: EntryLook,
): readonly Piece[] {
  const part = parts[index]
  switch (part?.type) {
    case 'text':
      return textPieces(role, part.text, index, from, look)
    case 'reasoning':
      return part.text.trim() === '' ? [] : reasoningPieces(part.text, from, look)
    case 'tool-call': {
      const result = results.find(({ callID }) => callID === part.callID)
      return [new LazyPiece(from, () => callLines(part, result, look), true)]
    }
    case 'tool-result': {
      if (!look.isOpened) return []
      const isOneOfMany = parts.filter(({ type }) => type === 'tool-result').length > 1
      const call = look.calls?.find(({ callID }) => callID === part.callID)
      const words = call ? callWords(call) : plainLine(part.name)
      const head = isOneOfMany ? [`    ${look.theme.paint('dim', cut(words, look.columns - 4))}`] : []
      return [new LazyPiece(from, () => [...head, ...outputLines(part, look)], true)]
    }
    case 'notice':
      return noted(hereWords(part.text), 'dim', from, look)
    default:
      return []
  }
}

function textPieces(
  role: Role,
  text: string,
  index: number,
  from: number,
  look: EntryLook,
): readonly Piece[] {
  const { columns, theme, flowOf } = look
  const { paint } = theme
  switch (role) {
    case 'user':
      return personsPieces(text, from, look)
    case 'assistant': {
      const flow = flowOf?.(index) ?? newFlow(look)
      return flow.pieces(text, from)
    }
    case 'error':
      return noted(`✗ ${hereWords(text)}`, 'bad', from, look)
    case 'summary':
      return [
        linesPiece(from, `  ${paint('strong', 'Summary')}`),
        ...plainPieces(text, from, columns - 4, (line) => `  ${paint('dim', `│ ${line}`)}`),
      ]
    case 'tool':
    case 'system':
      return noted(text, 'dim', from, look)
  }
}

function personsPieces(text: string, from: number, look: EntryLook): readonly Piece[] {
  const { paint } = look.theme
  const draw = (line: string): string => `${paint('person', '▌')} ${line}`
  const fold = foldOf('user', text)
  if (!fold) return plainPieces(text, from, look.columns - 2, draw)
  if (look.isOpened) return plainPieces(text, from, look.columns - 2, draw, true)
  return [
    ...plainPieces(text.slice(0, fold.from), from, look.columns - 2, draw, true),
    {
      from: from + fold.from,
      lines: [draw(paint('dim', cut(`▸ ${fold.words}`, look.columns - 2)))],
      opens: true,
    },
  ]
}

/** So much of what is thought is enough for a line. */
const glimpse = 500

function reasoningPieces(
  text: string,
  from: number,
  { columns, theme, isOpened }: EntryLook,
): readonly Piece[] {
  const { paint } = theme
  const line = (mark: string, words: string): string =>
    `  ${paint('dim', cut(`${mark} thinking${words}`, columns - 2))}`
  if (!isOpened) return [{ from, lines: [line('▸', `: ${plainLine(text.slice(0, glimpse))}`)], opens: true }]
  return [
    { from, lines: [line('▾', '')], opens: true },
    ...plainPieces(text, from, columns - 6, (each) => `    ${paint('dim', `│ ${each}`)}`, true),
  ]
}

// What did not come to its end says so; errors and notices are there to say it themselves.
function statusPieces({ role, status }: Message, { columns, theme }: EntryLook): readonly Piece[] {
  if (status === 'complete' || role !== 'assistant') return []
  const words =
    status === 'interrupted' ? '— cut off: the turn was interrupted' : '— cut off: the turn failed'
  return [linesPiece(belowAll, `  ${theme.paint('dim', cut(words, columns - 2))}`)]
}

function cardPiece(card: CardEntry, look: EntryLook): Piece {
  const { columns, theme, highlight, press } = look
  const { lines, buttons } = drawCard(card, { columns, theme, ...(highlight && { highlight }) })
  const clicks = buttons.map(({ line, from, to, deed }) => ({ line, from, to, does: () => press?.(deed) }))
  return { from: 0, lines, opens: false, clicks }
}

const noted = (text: string, tone: Tone, from: number, { columns, theme }: EntryLook): readonly Piece[] =>
  text.trim() === '' ? [] : plainPieces(text, from, columns - 2, (line) => `  ${theme.paint(tone, line)}`)

const plainPieces = (
  text: string,
  from: number,
  columns: number,
  draw: (line: string) => string,
  opens = false,
): readonly Piece[] =>
  chunksOf(text, columns).map(
    (chunk) =>
      new LazyPiece(from + chunk.from, () => wrapped(plainText(chunk.text), columns).map(draw), opens),
  )
