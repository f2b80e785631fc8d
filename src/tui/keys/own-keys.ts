import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
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

/** Reads them: `{"palette.open": ["ctrl+g", "f2"], "tab.new": "ctrl+n", "app.suspend": []}`. */
export async function readOwnKeys(file: string): Promise<ReadKeys> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { keys: {}, complaints: [] }
    return { keys: {}, complaints: ['it cannot be read'] }
  }
  return keysIn(text)
}

/** What a file of keys says. */
export function keysIn(text: string): ReadKeys {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return { keys: {}, complaints: ['it is not valid JSON'] }
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { keys: {}, complaints: ['it must be like {"palette.open": ["ctrl+g"]}'] }
  const keys: Partial<Record<ActionName, readonly string[]>> = {}
  const complaints: string[] = []
  for (const [name, value] of Object.entries(given)) {
    const action = actionNames.find((each) => each === name)
    if (!action) {
      complaints.push(`there is no action "${plainLine(name)}" (/keys lists them)`)
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

/** All of it in one line, for above the status. */
export const complaintLine = ([first, ...more]: readonly string[]): string =>
  first === undefined
    ? ''
    : `keys.json: ${first}${more.length === 0 ? '' : ` (and ${more.length} more)`}. The rest counts.`

interface Meant {
  readonly key?: string
  readonly complaint?: string
}

function keyFor(action: ActionName, written: unknown): Meant {
  const key = typeof written === 'string' ? keyMeant(written) : null
  if (key === null)
    return { complaint: `"${plainLine(String(written))}" of "${action}" is no key, like "ctrl+g" or "f2"` }
  const { scope } = actionOf(action)
  const isTyped = scope === 'anywhere' || scope === 'composer'
  if (isTyped && action !== 'composer.help' && /^(?:shift\+)?(?:[!-~]|space)$/.test(key))
    return { complaint: `"${key}" of "${action}" could not be typed any more: add ctrl or alt` }
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
      return [`${keyWords(both)} is both "${name}" and "${other}"`]
    })
  })
}

// Where both could be meant by one key.
const meet = (a: Scope, b: Scope): boolean =>
  a === b || [a, b].every((scope) => scope === 'anywhere' || scope === 'composer')
