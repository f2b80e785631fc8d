import { homedir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { readRegularFile } from '../../read-regular-file.ts'
import { plainLine } from '../../tree/plain-text.ts'
import { type ActionName, actionNames, actionOf, type Scope } from './actions.ts'
import { KeyMap, keyWords, type OwnKeys } from './key-map.ts'
import { keyMeant } from './key-name.ts'

/** The person's keys, and what is wrong with them; what is right counts all the same. */
export interface ReadKeys {
  readonly keys: OwnKeys
  readonly complaints: readonly string[]
}

/** Where the person's own keys are: beside the configuration. */
export const keysFile = (config: string): string => join(dirname(config), 'keys.json')

// As a person writes it.
const fileWords = (file: string): string =>
  plainLine(file.startsWith(homedir() + sep) ? `~${file.slice(homedir().length)}` : file)

/** Where they are, for a person. */
export const keysPlace = ({ source }: KeyMap): string =>
  source ? fileWords(source.file) : 'keys.json beside config.json'

/** Reads them: `{"palette.open": ["ctrl+g", "f2"], "tab.new": "ctrl+n", "app.suspend": []}`. */
export async function readOwnKeys(file: string): Promise<ReadKeys> {
  let text: string
  try {
    text = readRegularFile(file).toString()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (code === 'ENOENT') return { keys: {}, complaints: [] }
    return { keys: {}, complaints: [`the file cannot be read (${code})`] }
  }
  return parseOwnKeys(text)
}

/** What a file of keys says. */
export function parseOwnKeys(text: string): ReadKeys {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? plainLine(error.message) : ''
    return { keys: {}, complaints: [`the file is not valid JSON (${why})`] }
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { keys: {}, complaints: [`the file must name actions with their keys, like ${example}`] }
  const keys: Partial<Record<ActionName, readonly string[]>> = {}
  const complaints: string[] = []
  for (const [name, value] of Object.entries(given)) {
    const action = actionNames.find((each) => each === name)
    if (!action) {
      complaints.push(`there is no action "${plainLine(name)}"; /keys lists all of them`)
      continue
    }
    const written: readonly unknown[] = Array.isArray(value) ? value : [value]
    const meant = written.map((each) => keyFor(action, each))
    keys[action] = meant.flatMap(({ key }) => key ?? [])
    complaints.push(...meant.flatMap(({ complaint }) => complaint ?? []))
    // Nothing of it can be used: the usual keys stay.
    if (written.length > 0 && keys[action]?.length === 0) delete keys[action]
  }
  return { keys, complaints: [...complaints, ...conflictsOf(keys)] }
}

/** All of it in a few words, for above the status. */
export const complaintLine = (file: string, [first, ...more]: readonly string[]): string =>
  first === undefined
    ? ''
    : `${fileWords(file)}: ${first}.${more.length === 0 ? '' : ` ${more.length} more to mend: /keys tells them all.`}`

const example = '{"palette.open": ["ctrl+g", "f2"]}'

/** What a key may be. */
const allowed =
  'a letter, digit or sign, f1 to f12, or enter, escape, tab, space, backspace, delete, insert, home, end, pageUp, pageDown, ' +
  'up, down, left or right, with ctrl+, alt+, shift+ or super+ before it'

/** Where something is typed: the composer, what is looked for, a title. */
const typedIn = new Set<Scope>(['anywhere', 'composer', 'list', 'runs', 'form', 'choices', 'search'])

interface Meant {
  readonly key?: string
  readonly complaint?: string
}

function keyFor(action: ActionName, written: unknown): Meant {
  const key = typeof written === 'string' ? keyMeant(written) : null
  if (key === null)
    return {
      complaint: `${plainLine(JSON.stringify(written))} for "${action}" is not a key: write ${allowed}`,
    }
  const isTyped = typedIn.has(actionOf(action).scope)
  if (isTyped && action !== 'composer.help' && /^(?:shift\+)?(?:[!-~]|space)$/.test(key))
    return {
      complaint: `"${key}" for "${action}" would keep that from being typed: write "ctrl+${key}" or "alt+${key}"`,
    }
  return { key }
}

function conflictsOf(own: OwnKeys): readonly string[] {
  const map = new KeyMap(own)
  const told = new Set<string>()
  return actionNames.flatMap((name) => {
    if (!own[name]) return []
    return actionNames.flatMap((other) => {
      if (other === name || !meet(actionOf(name).scope, actionOf(other).scope)) return []
      const both = map.keysOf(name).find((key) => map.keysOf(other).includes(key))
      const pair = [name, other].toSorted().join(' ')
      if (both === undefined || told.has(pair)) return []
      told.add(pair)
      return [
        `${keyWords(both)} is the key of both "${name}" and "${other}": give one of them another, or []`,
      ]
    })
  })
}

// Where both could be meant by one key.
const meet = (a: Scope, b: Scope): boolean =>
  a === b || [a, b].every((scope) => scope === 'anywhere' || scope === 'composer')
