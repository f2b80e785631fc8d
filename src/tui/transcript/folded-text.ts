import type { Role } from '../../tree/message.ts'
import { cutOf, longest } from './long-line.ts'

// A person's long message, a pasted log for instance, is folded until somebody opens it.

const mostLines = 60
const mostCharacters = 12_000
/** What stays visible of a folded message. */
const keptLines = 20
const keptCharacters = 4_000

export interface Fold {
  /** Where the hidden text begins. */
  readonly from: number
  /** How much is hidden: `4,980 more lines`. */
  readonly words: string
}

/** Where a message is folded; null where it is shown whole. */
export function foldOf(role: Role, text: string): Fold | null {
  if (role !== 'user') return null
  let afterKept = text.length
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (lines === keptLines) afterKept = at + 1
    lines += 1
  }
  if (lines <= mostLines && text.length <= mostCharacters) return null
  if (lines > keptLines && afterKept <= keptCharacters)
    return { from: afterKept, words: `${(lines - keptLines).toLocaleString('en')} more lines` }
  // The cut is the same at any width, so that what was found stays where it is.
  const from = cutOf(text, keptCharacters - longest, 80)
  return { from, words: `${(text.length - from).toLocaleString('en')} more characters` }
}
