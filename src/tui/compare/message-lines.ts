import type { Message, Part, ToolResultPart } from '../../tree/message.ts'
import { callsOf, resultsOf } from '../../tree/message.ts'
import { cut } from '../screen/frame.ts'
import type { Theme } from '../screen/theme.ts'
import { drawEntry } from '../transcript/draw-entry.ts'

export interface MessageLook {
  readonly columns: number
  readonly theme: Theme
  /** So many characters of a text are drawn. */
  readonly most: number
  /** Of a text that is longer, its end is drawn. */
  readonly isEnd?: boolean
}

/** Below so many columns not everything in a transcript can give way. */
const narrow = 20

/** What came of the tools that are called in some messages, by call. */
export const resultsIn = (messages: readonly Message[]): ReadonlyMap<string, ToolResultPart> =>
  new Map(messages.flatMap(({ parts }) => resultsOf(parts)).map((result) => [result.callID, result]))

/** A message as it looks in a transcript, tools folded; an empty line below. No lines where there is nothing to see. */
export function messageLines(
  message: Message,
  found: ReadonlyMap<string, ToolResultPart>,
  { columns, theme, most, isEnd = false }: MessageLook,
): readonly string[] {
  const results = callsOf(message.parts).flatMap(({ callID }) => found.get(callID) ?? [])
  const parts = message.parts.map((part) => shortened(part, most, isEnd))
  const entry = {
    kind: 'message',
    key: message.id,
    message: { ...message, parts },
    order: 0,
    results,
  } as const
  const lines = drawEntry(entry, { columns, theme, isOpened: false })
  return columns < narrow ? lines.map((line) => cut(line, columns)) : lines
}

function shortened(part: Part, most: number, isEnd: boolean): Part {
  if (part.type !== 'text' || part.text.length <= most) return part
  const left = part.text.length - most
  const text = isEnd
    ? `… ${part.text.slice(-most)}`
    : `${part.text.slice(0, most)} … (${left} more characters)`
  return { ...part, text: text.toWellFormed() }
}
