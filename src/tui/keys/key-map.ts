import { decodeKittyPrintable, matchesKey } from '@earendil-works/pi-tui'
import { type ActionName, actionNames, actionOf, type Scope } from './actions.ts'
import { isKeyName } from './key-name.ts'

/** Which keys the person wants for which actions, instead of the usual ones. */
export type OwnKeys = Readonly<Partial<Record<ActionName, readonly string[]>>>

/** Where they come from, and what is wrong there. */
export interface KeysSource {
  readonly file: string
  readonly complaints: readonly string[]
}

/** Finds the action of a key. */
export class KeyMap {
  readonly #keys: ReadonlyMap<ActionName, readonly string[]>
  readonly #names: ReadonlyMap<Scope, readonly ActionName[]>

  /** Null where nobody can have keys of their own. */
  readonly source: KeysSource | null

  constructor(own: OwnKeys = {}, source: KeysSource | null = null) {
    this.source = source
    this.#keys = new Map(actionNames.map((name) => [name, own[name] ?? actionOf(name).keys]))
    this.#names = Map.groupBy(actionNames, (name) => actionOf(name).scope)
  }

  /** What a key does where these scopes count, the first before the others; null where it does nothing. */
  find(scopes: readonly Scope[], data: string): ActionName | null {
    // A paste is no key, and may be long.
    if (data.startsWith(paste)) return null
    for (const scope of scopes) {
      const found = this.#names.get(scope)?.find((name) => this.keysOf(name).some((key) => isKey(data, key)))
      if (found) return found
    }
    return null
  }

  keysOf(name: ActionName): readonly string[] {
    return this.#keys.get(name) ?? []
  }

  /** All of them, for a person. */
  allWordsFor(name: ActionName): string {
    return this.keysOf(name).map(keyWords).join(', ')
  }

  /** The first of them: `Alt+Shift+F`; empty where it has no key. */
  wordsFor(name: ActionName): string {
    const [first] = this.keysOf(name)
    return first === undefined ? '' : keyWords(first)
  }
}

const paste = '\u001b[200~'

// Terminals that know no modifiers send Esc and then the large letter; the library takes Esc F for a word to the right.
function isLegacy(data: string, key: string): boolean {
  const letter = /^alt\+shift\+([a-z])$/.exec(key)?.[1]
  return letter !== undefined && data === `\u001b${letter.toUpperCase()}`
}

function isKey(data: string, key: string): boolean {
  if (!isKeyName(key)) return data === key || decodeKittyPrintable(data) === key
  return isLegacy(data, key) || matchesKey(data, key)
}

const words: Readonly<Record<string, string>> = {
  escape: 'Esc',
  pageUp: 'PgUp',
  pageDown: 'PgDn',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
}

/** A key for a person: `Ctrl+PgUp`; a letter alone as it is typed. */
export const keyWords = (key: string): string => (key.length === 1 ? key : withModifiers(key))

const withModifiers = (key: string): string =>
  key
    .split(/\+(?=.)/)
    .map((part) => words[part] ?? part.charAt(0).toUpperCase() + part.slice(1))
    .join('+')
