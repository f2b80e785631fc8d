import type { AutocompleteItem, AutocompleteProvider } from '@earendil-works/pi-tui'
import { plainLine } from '../../tree/plain-text.ts'
import type { SlashCommand } from '../commands/slash-commands.ts'

export interface CompletionParts {
  readonly commands: readonly Pick<SlashCommand, 'name' | 'usage' | 'about'>[]
  /** Files by some letters of their paths, the best first. */
  findFiles(letters: string, limit: number): Promise<readonly string[]>
}

const mostFiles = 20

/** What could be meant: `/` at the beginning names a command, `@` a file of the workspace. */
export function completion({ commands, findFiles }: CompletionParts): AutocompleteProvider {
  return {
    async getSuggestions(lines, row, column, { signal }) {
      const before = (lines[row] ?? '').slice(0, column)
      const command = row === 0 ? /^\/(\S*)$/.exec(before)?.[1] : undefined
      if (command !== undefined) return suggested(commandsLike(commands, command), before)
      const mention = mentionIn(before)
      if (!mention) return null
      // One that cannot be asked, or has nothing, suggests nothing.
      const paths = await findFiles(mention.letters, mostFiles).catch(() => [])
      return signal.aborted ? null : suggested(paths.flatMap(fileItem), mention.typed)
    },
    applyCompletion(lines, row, column, { value }, typed) {
      const line = lines[row] ?? ''
      const before = line.slice(0, column - typed.length)
      const after = line.slice(column).replace(/^ /, '')
      return {
        lines: lines.with(row, `${before}${value} ${after}`),
        cursorLine: row,
        cursorCol: before.length + value.length + 1,
      }
    },
    shouldTriggerFileCompletion: (lines, row, column) =>
      mentionIn((lines[row] ?? '').slice(0, column)) !== null,
  }
}

const suggested = (items: AutocompleteItem[], prefix: string) =>
  items.length === 0 ? null : { items, prefix }

function commandsLike(commands: CompletionParts['commands'], typed: string): AutocompleteItem[] {
  const [begins, contains] = [
    commands.filter(({ name }) => name.startsWith(typed)),
    commands.filter(({ name }) => !name.startsWith(typed) && name.includes(typed)),
  ]
  return [...begins, ...contains].map(({ name, usage, about }) => ({
    value: `/${name}`,
    label: usage,
    description: about,
  }))
}

// A path that would not be shown as it is cannot be chosen.
function fileItem(path: string): AutocompleteItem[] {
  if (plainLine(path) !== path || path.includes('"')) return []
  return [{ value: /\s/.test(path) ? `@"${path}"` : `@${path}`, label: path }]
}

/** The `@` that is being typed, not the one of an address: `@src/ta`, `@"with sp`. */
function mentionIn(before: string): { readonly typed: string; readonly letters: string } | null {
  const found = /(?:^|[\s([{'])(@(?:"([^"]*)|([^\s"@]*)))$/.exec(before)
  if (!found) return null
  const [, typed = '', quoted, plain = ''] = found
  return { typed, letters: quoted ?? plain }
}
