import { parseArgs } from 'node:util'
import type { Command } from './command.ts'
import { helpOption, optionsOf, usageOf } from './help.ts'
import { nearest } from './nearest.ts'
import { UsageError } from './usage-error.ts'

/** The words and options that a command was given, checked against its entry in the table. */
export interface Arguments {
  readonly help: boolean
  /** A positional that the command requires. */
  word(name: string): string
  optionalWord(name: string): string | undefined
  /** All words of a positional that takes several. */
  words(name: string): readonly string[]
  flag(name: string): boolean
  value(name: string): string | undefined
  /** A whole number above 0. */
  count(name: string): number | undefined
}

export function parseArguments(command: Command, argv: readonly string[]): Arguments {
  const { words, values } = readTokens(command, argv)
  const help = values.has(helpOption.name)
  if (!help) checkWords(command, words)

  const positionOf = (name: string): number => {
    const position = command.positionals.findIndex((positional) => positional.name === name)
    if (position === -1) throw new Error(`"${command.name}" has no positional "${name}"`)
    return position
  }
  const optionValue = (name: string): string | undefined => {
    if (!optionsOf(command).some((option) => option.name === name))
      throw new Error(`"${command.name}" has no option "${name}"`)
    return values.get(name)
  }
  return {
    help,
    word: (name) => words[positionOf(name)] ?? '',
    optionalWord: (name) => words[positionOf(name)],
    words: (name) => words.slice(positionOf(name)),
    flag: (name) => optionValue(name) !== undefined,
    value: optionValue,
    count: (name) => parseCount(name, optionValue(name)),
  }
}

// Read without parseArgs' own checks, so that every complaint is in our words.
function readTokens(command: Command, argv: readonly string[]) {
  const options = optionsOf(command)
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      options.map(({ name, short, value }) => [
        name,
        { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
      ]),
    ),
  })

  const words: string[] = []
  const values = new Map<string, string>()
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const option = options.find(({ name }) => name === token.name)
    if (!option) throw unknownOption(command, token.rawName)
    if (option.value === undefined && token.value !== undefined)
      throw wrong(command, `${token.rawName} takes no value`)
    if (option.value !== undefined && lacksValue(token.value, token.inlineValue))
      throw wrong(command, `${token.rawName} needs a value: --${option.name}=${option.value}`)
    values.set(option.name, token.value ?? '')
  }
  return { words, values }
}

// What looks like the next option is not taken for a value, unless it was joined with "=". No option is a number.
const lacksValue = (value: string | undefined, inline: boolean | undefined): boolean =>
  value === undefined || (!inline && /^-[^\d]/.test(value))

function checkWords(command: Command, words: readonly string[]): void {
  const missing = command.positionals.find(({ required }, position) => required && words.length <= position)
  if (missing) throw wrong(command, `"${command.name}" needs ${missing.label}`)
  const takesSeveral = command.positionals.some(({ several }) => several)
  if (!takesSeveral && words.length > command.positionals.length) {
    const excess = words[command.positionals.length]
    throw wrong(command, `"${command.name}" does not know what to do with "${excess}"`, command.tooMany)
  }
}

function unknownOption(command: Command, given: string): UsageError {
  const known = optionsOf(command).map(({ name }) => `--${name}`)
  const meant = nearest(given, known)
  return wrong(
    command,
    `"${command.name}" has no option ${given}`,
    meant ? `Did you mean ${meant}?` : 'Put "--" before a word that begins with "-".',
  )
}

function parseCount(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const count = Number(value)
  if (!/^\d+$/.test(value) || count < 1 || !Number.isSafeInteger(count))
    throw new UsageError(`--${name} needs a whole number of at least 1, not "${value}".`)
  return count
}

const wrong = (command: Command, complaint: string, hint?: string): UsageError =>
  new UsageError([`${complaint}.`, hint, `Usage: ${usageOf(command)}`].filter(Boolean).join(' '))
