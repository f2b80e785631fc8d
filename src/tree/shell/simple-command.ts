import { isAssignment, shellWords } from './words.ts'

/**
 * The words of a line that runs one program in every usual shell; null for any other line. Quotes do not excuse
 * an operator: shells disagree about backslashes in quotes, so what bash quotes another may run.
 */
export function simpleCommand(line: string): readonly string[] | null {
  if (/[;&|<>()`$]|(?!\t)\p{Cc}|[\u2028\u2029]/u.test(line)) return null
  const words = shellWords(line)
  const program = words?.[0]
  if (!words || !program || isAssignment(program)) return null
  return /^[\w./+@%:,-]+$/.test(program) && !keywords.has(program) ? words : null
}

/** Words that are part of the shell's language where a program would stand. */
export const keywords: ReadonlySet<string> = new Set([
  ...['if', 'then', 'else', 'elif', 'fi', 'for', 'in', 'do', 'done', 'while', 'until', 'case', 'esac'],
  ...['select', 'function', 'coproc', 'time', '!', '{', '}', '[[', ']]', 'begin', 'end', 'and', 'or', 'not'],
  ...['switch', 'repeat', 'foreach'],
])
