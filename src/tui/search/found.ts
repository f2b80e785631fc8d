import { stripTerminalSequences } from '@earendil-works/pi-tui'
import type { MessageID } from '../../tree/ids.ts'
import type { Message } from '../../tree/message.ts'
import type { Piece } from '../transcript/piece.ts'
import { beginnings, foldedFrom, wordsOf } from '../transcript/searchable.ts'

/** Something that was found in a message. */
export interface Match {
  readonly messageID: MessageID
  /** Where in the words of the message it begins. */
  readonly from: number
  /** It is seen only when its message is opened. */
  readonly isFolded: boolean
  readonly pattern: RegExp
  /** Where all of that message begin. */
  readonly all: readonly number[]
}

/** What a query finds: big and small letters are the same, unless it has big ones. Null for an empty one. */
export function patternOf(query: string): RegExp | null {
  if (query.trim() === '') return null
  return new RegExp(RegExp.escape(query), query === query.toLowerCase() ? 'giu' : 'gu')
}

/** All that a pattern finds in a message, the last one first. */
export function matchesIn({ id, role, parts }: Message, pattern: RegExp): readonly Match[] {
  const from = beginnings(parts)
  const all: number[] = []
  const found = parts.flatMap((part, i) => {
    if (role === 'tool' && part.type === 'text') return []
    const begins = from[i] ?? 0
    const fold = foldedFrom(role, part) ?? Number.POSITIVE_INFINITY
    return Array.from(wordsOf(part).matchAll(pattern), ({ index }) => {
      all.push(begins + index)
      return { messageID: id, from: begins + index, isFolded: index >= fold, pattern, all }
    })
  })
  return found.reverse()
}

/** A line of an entry. */
export interface FoundAt {
  readonly piece: { readonly index: number; readonly from: number }
  readonly line: number
}

/** The line that has what was found; the first of its piece where Markdown wrote it otherwise. */
export function foundIn(pieces: readonly Piece[], { from, pattern, all }: Match): FoundAt {
  const index = Math.max(
    0,
    pieces.findLastIndex((piece) => piece.from <= from),
  )
  const piece = pieces[index]
  const begins = piece?.from ?? 0
  const before = all.filter((each) => each >= begins && each < from).length
  let counted = 0
  const counts = (piece?.lines ?? []).map((line) => {
    counted += [...stripTerminalSequences(line).matchAll(pattern)].length
    return counted
  })
  const line = counts.findIndex((count) => count > before)
  const other = counts.indexOf(counted)
  return { piece: { index, from: begins }, line: line === -1 ? Math.max(0, other) : line }
}
