import type { InquiryID, SessionID } from '../../tree/ids.ts'
import { plainLine, plainText } from '../../tree/plain-text.ts'
import { type ExitAction, type ForkOutcome, mayPutBack, putBackLabel } from '../../tree/side-fork.ts'
import { cut, widthOf } from '../screen/frame.ts'
import type { Paint, Theme } from '../screen/theme.ts'
import { wrapped } from '../screen/wrap.ts'
import type { CardEntry } from '../transcript/entry.ts'
import { type Highlight, markdownLines } from '../transcript/markdown.ts'

export interface CardLook {
  readonly columns: number
  readonly theme: Theme
  readonly highlight?: Highlight
}

/** What a button of a card does. */
export type CardDeed =
  | { readonly kind: 'click'; readonly inquiryID: InquiryID }
  | { readonly kind: 'exit'; readonly action: ExitAction; readonly forkID: SessionID }
  | { readonly kind: 'put-back'; readonly forkID: SessionID }

/** Cells of a line of a card that can be clicked. */
export interface CardButton {
  readonly line: number
  readonly from: number
  readonly to: number
  readonly deed: CardDeed
}

export interface DrawnCard {
  readonly lines: readonly string[]
  readonly buttons: readonly CardButton[]
}

/** Something that was sent to the channel, in lines of at most so many cells. */
export function drawCard(card: CardEntry, look: CardLook): DrawnCard {
  const { what } = card
  const { columns, theme } = look
  const { paint } = theme
  switch (what.kind) {
    case 'message':
      return barred([senderLine(card, look), ...said(what.text, look)], [], look)
    case 'embed': {
      const title = wrapped(plainLine(what.title), columns - 4).map((line) => paint('strong', line))
      const body = what.body.trim() === '' ? [] : said(what.body, look)
      const labels = what.buttons.map(({ label, inquiryID }, i) => ({
        words: `${i + 1} ${plainLine(label)}`,
        deed: card.used.includes(inquiryID) ? null : ({ kind: 'click', inquiryID } as const),
      }))
      return barred([senderLine(card, look), ...title, ...body], labels, look)
    }
    case 'entered': {
      const head = rule(`fork: ${plainLine(what.topic ?? 'open session')}`, look)
      if (!what.isOpen) return { lines: [head], buttons: [] }
      return withButtons([head], exits(card.sessionID), columns, paint)
    }
    case 'ended': {
      const words = wrapped(plainText(what.words), columns - 2)
      const lines = [rule(endWords[what.outcome], look), ...words.map((line) => `  ${line}`)]
      if (!mayPutBack(what.outcome, what.files)) return { lines, buttons: [] }
      const deed = { kind: 'put-back', forkID: card.sessionID } as const
      return withButtons(lines, [{ words: putBackLabel, deed }], columns, paint)
    }
    case 'notice': {
      const lines = wrapped(plainText(what.text), columns - 4)
      return barred(
        lines.map((line) => paint('warning', line)),
        [],
        look,
      )
    }
  }
}

const endWords: Readonly<Record<ForkOutcome, string>> = {
  saved: 'fork ended: context saved',
  reported: 'fork ended: summary reported',
  discarded: 'fork ended: discarded',
  finished: 'run finished',
  failed: 'run failed',
  'timed-out': 'run timed out',
}

interface Label {
  readonly words: string
  /** Null for one that was clicked already. */
  readonly deed: CardDeed | null
}

const exits = (forkID: SessionID): readonly Label[] => [
  { words: 'Save context', deed: { kind: 'exit', action: 'save', forkID } },
  { words: 'Report', deed: { kind: 'exit', action: 'report', forkID } },
  { words: 'Exit fork', deed: { kind: 'exit', action: 'discard', forkID } },
]

function senderLine({ from }: CardEntry, { columns, theme: { paint } }: CardLook): string {
  if (from === null) return paint('accent', '◆ main')
  const hint = '  /reply goes on with it'
  const name = `◆ ${cut(plainLine(from), columns - 6)}`
  const fits = widthOf(name) + widthOf(hint) <= columns - 4
  return paint('accent', name) + (fits ? paint('dim', hint) : '')
}

const said = (text: string, { columns, theme, highlight }: CardLook): readonly string[] =>
  markdownLines(plainText(text), columns - 4, theme, highlight)

// A bar at the left: this is no message of the conversation around it.
function barred(lines: readonly string[], labels: readonly Label[], look: CardLook): DrawnCard {
  const { columns, theme } = look
  const { lines: all, buttons } = withButtons(lines, labels, columns - 4, theme.paint, 0)
  const bar = theme.paint('accent', '┃')
  return {
    lines: all.map((line) => `  ${bar} ${line}`),
    buttons: buttons.map((button) => ({ ...button, from: button.from + 4, to: button.to + 4 })),
  }
}

// Beside each other, as many as a line has room for.
function withButtons(
  above: readonly string[],
  labels: readonly Label[],
  columns: number,
  paint: Paint,
  indent = 2,
): DrawnCard {
  const lines = [...above]
  const buttons: CardButton[] = []
  let line = ' '.repeat(indent)
  for (const { words, deed } of labels) {
    const text = deed ? `[${cut(words, columns - indent - 2)}]` : `${cut(words, columns - indent - 7)} (used)`
    if (widthOf(line) > indent) {
      if (widthOf(line) + 1 + widthOf(text) <= columns) line += ' '
      else {
        lines.push(line)
        line = ' '.repeat(indent)
      }
    }
    const from = widthOf(line)
    if (deed) buttons.push({ line: lines.length, from, to: from + widthOf(text), deed })
    line += paint(deed ? 'selected' : 'dim', text)
  }
  if (labels.length > 0) lines.push(line)
  return { lines, buttons }
}

function rule(words: string, { columns, theme: { paint } }: CardLook): string {
  const text = cut(` ${words} `, columns - 6)
  return paint('accent', `──${text}${'─'.repeat(Math.max(0, columns - 2 - widthOf(text)))}`)
}
