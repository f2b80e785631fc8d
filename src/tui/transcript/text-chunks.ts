import { cutOf, longest } from './long-line.ts'

/** A part of a text, and where it begins there. */
export interface Chunk {
  readonly from: number
  readonly text: string
}

const mostLines = 40

/** A text of any length in parts that are drawn one by one; cut where lines end, very long ones within. */
export function chunksOf(text: string, columns: number): readonly Chunk[] {
  const whole = text.trimEnd()
  const chunks: Chunk[] = []
  let from = 0
  let lines = 0
  let at = 0
  const close = (end: number, next: number): void => {
    chunks.push({ from, text: whole.slice(from, end) })
    from = next
    lines = 0
  }
  while (at <= whole.length) {
    const found = whole.indexOf('\n', at)
    const end = found === -1 ? whole.length : found
    if (end - at > longest) {
      if (at > from) close(at - 1, at)
      const cut = cutOf(whole, at, columns)
      close(cut, cut)
      at = cut
      continue
    }
    at = end + 1
    lines += 1
    if (lines === mostLines || end - from > longest || end === whole.length) close(end, at)
  }
  return chunks
}
