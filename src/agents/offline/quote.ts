const longest = 200

export const quote = (text: string): string => `“${onOneLine(text)}”`

/** On one line and not too long; cut between characters as a person sees them. */
export function onOneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  if (line.length <= longest) return line
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    if (kept.length + segment.length > longest - 1) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}
