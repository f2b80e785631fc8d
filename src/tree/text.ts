import { withoutEscapes } from './plain-text.ts'

/** Text that every engine can store and give back unchanged: no NUL, no half of a surrogate pair. */
export const storable = (text: string): string =>
  text.includes('\0') || !text.isWellFormed() ? text.replaceAll('\0', '\uFFFD').toWellFormed() : text

/** The same for all texts in a value, as JSON: written out, what is not storable hides behind an escape. */
export const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'string' ? storable(each) : each))

/** On one line and not too long; cut between characters as a person sees them, so that no emoji is taken apart. */
export function onOneLine(text: string, longest: number): string {
  const line = withoutEscapes(text)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  if (line.length <= longest) return line
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    if (kept.length + segment.length > longest - 1) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

/** With a full stop, unless it ends like a sentence already. */
export const sentence = (words: string): string =>
  /[.!?]$/.test(words.trim()) ? words.trim() : `${words.trim()}.`
