import { decodeKittyPrintable } from '@earendil-works/pi-tui'
import { plainText } from '../../tree/plain-text.ts'

// What a terminal sends for keys, as single keys. tmux waits half a second for what may follow an Esc, so that several come
// as one piece, which would be read as another key.

const esc = '\u001b'

const pasteBegins = `${esc}[200~`
const pasteEnds = `${esc}[201~`

/** A piece of input as the keys that were pressed. What is pasted is plain: all of it may be shown. */
export function keysIn(data: string): readonly string[] {
  if (data.length > 1 && data.replaceAll(esc, '') === '') return [...data]
  if (data.startsWith(pasteBegins)) return [plainPaste(data)]
  // A control is a key; what has none is text.
  return [[...data].some((each) => each < ' ' || each === '\u007f') ? data : plainText(data)]
}

// tmux may give a new line in a paste as a key.
function plainPaste(data: string): string {
  const [text = '', ...after] = data.slice(pasteBegins.length).split(pasteEnds)
  const lines = text.replaceAll(`${esc}[106;5u`, '\n').replaceAll(`${esc}[109;5u`, '\n')
  return pasteBegins + plainText(lines.replace(/\r\n?/g, '\n')) + pasteEnds + after.join('')
}

/** Milliseconds that tmux waits after an Esc, if nobody has told it otherwise. */
const held = 500

/** Milliseconds after several Escs in which another one counts as held back. */
const soon = 900

/** When a key was pressed that came at `now`. Where several Escs came as one piece, single ones are held back. */
export const pressTime = (data: string, now: number, lastSeveral: number): number =>
  data === esc && now - lastSeveral <= soon ? Math.max(lastSeveral, now - held) : now

/** The key that was pressed soon after an Esc, where the two came as one piece; null for anything else. */
export function keyAfterEscape(data: string): string | null {
  const [first, second = '', ...more] = data
  if (first !== esc || second === '') return null
  if (second === '[') return withoutAlt(more.join(''))
  // What begins a longer piece is no key.
  return more.length === 0 && !`${esc}]OP_`.includes(second) ? second : null
}

// Older ones give an arrow, Home or PgUp after an Esc as that key with Alt.
function withoutAlt(sequence: string): string | null {
  const [, number, end] = /^(\d+);3([A-H~])$/.exec(sequence) ?? []
  return end === undefined ? null : `${esc}[${end === '~' ? number : ''}${end}`
}

/** Whether it is something typed or pasted, no key that does something. */
export const isText = (data: string): boolean =>
  data.startsWith(pasteBegins) || decodeKittyPrintable(data) !== undefined || !/\p{Cc}/u.test(data)
