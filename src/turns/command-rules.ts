import type { PermissionRequest } from '../agents/driver.ts'
import { commandsIn } from '../tree/shell/commands-in.ts'
import { simpleCommand } from '../tree/shell/simple-command.ts'
import { programOf, shellWords, trimmedLine } from '../tree/shell/words.ts'

// The pattern in a rule for commands is a whole command, or its beginning and `*`. A rule that allows is read narrowly:
// it is about one simple command. A rule that denies is read widely: it is about every command that the line names.

/** Whether a pattern covers the command. */
export function allowsCommand(pattern: string, line: string): boolean {
  const words = simpleCommand(line)
  if (words === null) return false
  // A word in quotes may mean something else than the same word without them.
  const isPlain = isOpen(pattern) && /^[\w \t./+@%:,=-]*$/.test(beginningOf(pattern))
  return matchesText(pattern, trimmedLine(line)) || (isPlain && matchesWords(pattern, words, (word) => word))
}

/** Whether a denial is meant for a line, or for a command in it. */
export function deniesCommand(pattern: string, { detail, command = detail }: PermissionRequest): boolean {
  if (matchesText(pattern, detail) || matchesText(pattern, trimmedLine(command))) return true
  return commandsIn(command).some(({ words, isLauncher }) =>
    isLauncher
      ? words.some((_, i) => matchesWords(pattern, words.slice(i, i + longestPattern), programOf))
      : matchesWords(pattern, words, programOf),
  )
}

/** More words than any pattern has. */
const longestPattern = 64

export const matchesText = (pattern: string, text: string): boolean =>
  isOpen(pattern) ? text.startsWith(beginningOf(pattern)) : text === pattern

const isOpen = (pattern: string): boolean => pattern.endsWith('*')
const beginningOf = (pattern: string): string => (isOpen(pattern) ? pattern.slice(0, -1) : pattern)

/** Whether a command has the words of a pattern. The last one may go on, unless a space stands before the `*`. */
function matchesWords(
  pattern: string,
  words: readonly string[],
  programAs: (word: string) => string,
): boolean {
  const beginning = beginningOf(pattern)
  const wanted = shellWords(beginning)
  if (wanted === null || wanted.length > words.length) return false
  if (!isOpen(pattern) && wanted.length < words.length) return false
  const goesOn = isOpen(pattern) && !/[ \t]$/.test(beginning)
  return wanted.every((want, i) => {
    const word = words[i] ?? ''
    const [is, shouldBe] = i === 0 ? [programAs(word), programAs(want)] : [word, want]
    return goesOn && i === wanted.length - 1 ? is.startsWith(shouldBe) : is === shouldBe
  })
}
