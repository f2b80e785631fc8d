import type { KeyId } from '@earendil-works/pi-tui'

const modifiers = /^(?:(?:ctrl|shift|alt|super)\+)*/
const named =
  /^(?:[a-z0-9]|[`\-=[\]\\;',./!@#$%^&*()_+|~{}:<>?]|escape|enter|tab|space|backspace|delete|insert|home|end|pageUp|pageDown|up|down|left|right|f(?:[1-9]|1[0-2]))$/

/** Whether a text names a key as it stands in the table: `ctrl+p`, `alt+shift+f`, `pageUp`. */
export const isKeyName = (text: string): text is KeyId => named.test(text.replace(modifiers, ''))

/**
 * Whether it is a letter that no name has, like the Ï that macOS sends for Option+Shift+F: it counts as itself, and
 * cannot be typed any more.
 */
const isLetter = (text: string): boolean => [...text].length === 1 && /^[^\p{ASCII}\p{C}\p{Z}]$/u.test(text)

const others: Readonly<Record<string, string>> = {
  esc: 'escape',
  return: 'enter',
  del: 'delete',
  ins: 'insert',
  pageup: 'pageUp',
  pgup: 'pageUp',
  pagedown: 'pageDown',
  pgdn: 'pageDown',
  option: 'alt',
  meta: 'alt',
  control: 'ctrl',
  cmd: 'super',
}

const order = ['ctrl', 'alt', 'shift', 'super']

/** The key that a person means, as it stands in the table: `Shift+Alt+F` is `alt+shift+f`. Null where it is none. */
export function keyMeant(written: string): string | null {
  if (isLetter(written)) return written
  const parts = written
    .trim()
    .toLowerCase()
    .split(/\+(?=.)/)
  const [key = '', ...held] = parts.map((part) => others[part] ?? part).toReversed()
  const unknown = held.some((each) => !order.includes(each))
  const name = [...order.filter((each) => held.includes(each)), key].join('+')
  return !unknown && isKeyName(name) ? name : null
}
