import { onOneLine } from './text.ts'

const longest = 60

export const untitled = 'New session'

export const forkTitle = (parentTitle: string): string =>
  onOneLine(`Fork of ${parentTitle.replace(/^(Fork of )+/, '')}`, longest)

/** The first line of a prompt that says anything; null when none does. */
export function titleFromPrompt(prompt: string): string | null {
  const line = prompt.split('\n').find((text) => /[^\s\p{Cc}]/u.test(text))
  return line === undefined ? null : onOneLine(line, longest)
}
