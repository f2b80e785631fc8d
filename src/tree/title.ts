const longest = 60

export const untitled = 'New session'

export const forkTitle = (parentTitle: string): string =>
  cut(`Fork of ${parentTitle.replace(/^(Fork of )+/, '')}`)

/** The first line of a prompt that says anything; null when none does. */
export function titleFromPrompt(prompt: string): string | null {
  const line = prompt
    .split('\n')
    .map((text) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim())
    .find((text) => text !== '')
  return line === undefined ? null : cut(line)
}

// Between characters as a person sees them, so that no emoji or accent is taken apart.
function cut(text: string): string {
  if (text.length <= longest) return text
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (kept.length + segment.length > longest - 1) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}
