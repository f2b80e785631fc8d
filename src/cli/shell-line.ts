/** Words as a person can paste them into a shell. */
export const shellLine = (words: readonly string[]): string => words.map(quoted).join(' ')

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
