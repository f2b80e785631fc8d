// Markdown that holds any text, whatever the text tries.

/** A block of code. Its fence is longer than any run of backticks inside, so that nothing inside ends it. */
export function codeBlock(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`
}

/** A few words of code on a line. */
export function codeSpan(text: string): string {
  const fence = '`'.repeat(longestRun(text) + 1)
  // Without the spaces a backtick at its end would join the fence.
  const padding = /^`|`$|^ .* $/.test(text) ? ' ' : ''
  return text.trim() === '' ? '` `' : `${fence}${padding}${text}${padding}${fence}`
}

/** A quote ends where its lines end, also when something inside is left open. */
export const quote = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')

/** A text on a line that is shown letter for letter. */
export const literal = (text: string): string => text.replace(/[\\`*_[\]<>&~|$#]/g, '\\$&')

function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}
