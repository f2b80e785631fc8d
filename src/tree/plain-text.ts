import { stripVTControlCharacters } from 'node:util'

// Titles and messages come from people and agents. None of them may drive the terminal: move the cursor, set the
// clipboard, or overwrite what was shown before.

// All controls but newline and tab: also the carriage return, that would write over its own line.
const controls = /[\p{Cc}\u2028\u2029]/gu
// Characters that show text in another order than it has.
const reordering = /[\u202a-\u202e\u2066-\u2069]/g

/** A text as it may be shown, with its lines and tabs. */
export const plainText = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(controls, (character) => (character === '\n' || character === '\t' ? character : ''))
    .replace(reordering, '')

/** The same on one line. */
export const plainLine = (text: string): string => plainText(text).replace(/\s+/g, ' ').trim()

/** A text in which nothing is hidden, on one line: for what a person is asked to approve. */
export const visibleText = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, symbolOf)

// ␛ for an escape, ␊ for a new line; what has no such symbol by its number.
function symbolOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code < 0x20 ? String.fromCodePoint(0x2400 + code) : `\\u{${code.toString(16)}}`
}
