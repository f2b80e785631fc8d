import type { Command } from '../command.ts'
import { optionsOf } from '../help.ts'

/** The options of a command, as they are typed. */
export const optionNames = (command: Command): string =>
  optionsOf(command)
    .map(({ name }) => `--${name}`)
    .join(' ')

/** Those of them whose next word is a value of their own. */
export const optionsWithValue = (command: Command): string =>
  optionsOf(command)
    .filter(({ value }) => value !== undefined)
    .map(({ name }) => `--${name}`)
    .join(' ')

/** Those whose values are known. */
export const suggestedOptions = (
  command: Command,
): readonly { readonly name: string; readonly suggests: readonly string[] }[] =>
  optionsOf(command).flatMap(({ name, suggests }) => (suggests ? [{ name, suggests }] : []))

/** What a command's first word may be: `sessions`, or the words themselves. */
export function wordsFor(command: Command): string {
  const suggests = command.positionals[0]?.suggests ?? []
  return suggests === 'sessions' ? suggests : suggests.join(' ')
}

/** Text between single quotes, as bash and zsh read it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
