/** A command as a person would type it: Codex tells it with the shell that runs it, `/bin/bash -lc '…'`. */
export function typedCommand(command: string): string {
  const words = splitWords(command)
  if (words?.length !== 3) return command
  const [shell = '', flag = '', script = ''] = words
  // Any other program that is called so is somebody's own, and may do what it likes.
  return /^(\/usr)?(\/local)?\/bin\/(ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag) ? script : command
}

/** The words of a line with a shell's quotes; null when a quote is left open. */
function splitWords(line: string): readonly string[] | null {
  const token = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\s+)|([^\s'"\\]+)/gsy
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
