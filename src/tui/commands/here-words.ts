import { type SlashCommand, slashCommands } from './slash-commands.ts'

/** What bough says of commands of the shell, in the words that count here; what has none here stays as it is. */
export const hereWords = (text: string): string =>
  text.replace(shellCommand, (quoted, shell: string) => inShell.get(shell) ?? quoted).replace(option, '')

/** What went wrong, for a person who is here. */
export const errorWords = (error: unknown): string =>
  hereWords(error instanceof Error ? error.message : String(error))

const shellCommand = /"(bough [^"]+)"/g

// An option says once more, for the shell, what stands before it.
const option = / \(--files [a-z]+\)/g

const typed = ({ name, shell = {} }: SlashCommand): readonly (readonly [string, string])[] =>
  Object.entries(shell).map(([command, argument]) => [command, `/${name} ${argument}`.trim()])

const inShell: ReadonlyMap<string, string> = new Map(slashCommands.flatMap(typed))
