/** The words of a line by a shell's quoting rules; null when a quote is left open or the line ends in a backslash. */
export function shellWords(line: string): readonly string[] | null {
  const token = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([ \t\n]+)|([^ \t\n'"\\]+)/gsy
  const words: string[] = []
  let word: string | null = null
  while (token.lastIndex < line.length) {
    const match = token.exec(line)
    if (!match) return null
    const [, single, double, escaped, space, bare] = match
    if (space === undefined) {
      word = (word ?? '') + (single ?? double?.replace(/\\([\\"$`])/g, '$1') ?? escaped ?? bare ?? '')
    } else if (word !== null) {
      words.push(word)
      word = null
    }
  }
  return word === null ? words : [...words, word]
}

/** A line without the space around it, as shells have it: other white space is a part of words. */
export const trimmedLine = (line: string): string =>
  line.replace(/^[ \t]+/, '').replace(/(?<![ \t])[ \t]+$/, '')

/** `NAME=value` before a command, which sets a variable for it. */
export const isAssignment = (word: string): boolean => /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/.test(word)

/** The program that a word starts: without its directory, and without the `=` that zsh finds programs by. */
export const programOf = (word: string): string => word.replace(/^=/, '').replace(/^.*\//s, '')
