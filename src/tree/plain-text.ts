// Titles and messages come from people and agents. None of them may drive the terminal: move the cursor, set the
// clipboard, or overwrite what was shown before.

// Escape sequences as terminals know them (ECMA-48). A string without its end loses only its beginning. No part can match
// what the next one matches, nor go past another beginning: so any text takes time in proportion to its length, which the
// expression of Node's stripVTControlCharacters does not.
const [esc, bell] = ['\\x1b', '\\x07']
const escapes = new RegExp(
  [
    // A string: of the window's title, the clipboard, a link …
    `(?:${esc}[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\p{Cc}]*(?:${bell}|${esc}\\\\|\\x9c)`,
    // A control sequence: colours, the cursor …
    `(?:${esc}\\[|\\x9b)[0-?]*[ -/]*[@-~]`,
    // Any other.
    `${esc}[ -/]*[0-~]`,
  ].join('|'),
  'gu',
)

/** A text without escape sequences. */
export const withoutEscapes = (text: string): string => text.replace(escapes, '')

// All controls but newline and tab: also the carriage return, that would write over its own line.
const controls = /[\p{Cc}\u2028\u2029]/gu
// Characters that show text in another order than it has.
const reordering = /[\u202a-\u202e\u2066-\u2069]/g

/** A text as it may be shown, with its lines and tabs. */
export const plainText = (text: string): string =>
  withoutEscapes(text)
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
