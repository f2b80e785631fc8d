import type { Json, Part, Role } from '../../tree/message.ts'
import { hereWords } from '../commands/here-words.ts'
import { foldOf } from './folded-text.ts'

// The words of an entry are those of its parts, one after the other: a place in them tells where something was found, and
// which piece of the drawing has it.

/** The words of a part in which something can be found. */
export function wordsOf(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text
    case 'notice':
      return hereWords(part.text)
    case 'tool-call':
      return [part.name, ...textsIn(part.args)].join('\n')
    case 'tool-result':
      return part.output
    case 'context':
      return ''
  }
}

/** Where each part begins among the words of all. */
export function beginnings(parts: readonly Part[]): readonly number[] {
  let at = 0
  return parts.map((part) => {
    const begins = at
    at += (part.type === 'text' ? part.text : wordsOf(part)).length + 1
    return begins
  })
}

/** Where the words of a part begin that are shown only when its message is opened; null where all are shown. */
export function foldedFrom(role: Role, part: Part): number | null {
  if (part.type === 'text') return foldOf(role, part.text)?.from ?? null
  return part.type === 'tool-call' || part.type === 'tool-result' || part.type === 'reasoning' ? 0 : null
}

/** Whether something of a part is shown only when its message is opened. */
export const isFolded = (role: Role, part: Part): boolean => foldedFrom(role, part) !== null

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
