import type { Entry } from './transcript.ts'
import { writeEntry } from './transcript.ts'

// What does not fit is cut: long outputs of tools first, the oldest first; then whole entries, the oldest first; and when
// only the last is left and is too long by itself, its beginning.

/** An output that is cut keeps so many characters of its beginning and of its end. */
const keptOfOutput = 500

export interface Cut {
  readonly entries: readonly Entry[]
  /** Of how many outputs the middle was left out. */
  readonly shortened: number
  /** How many entries were left out, from the beginning. */
  readonly dropped: number
  /** Of the only entry that is left, the beginning was left out. */
  readonly isLastCut: boolean
}

/** Cuts entries until they have no more than `most` bytes as they are written. */
export function cutToFit(entries: readonly Entry[], most: number): Cut {
  const sizes = entries.map(sizeOf)
  let size = sizes.reduce((sum, each) => sum + each, 0)
  const kept = [...entries]
  let shortened = 0
  for (const [i, entry] of entries.entries()) {
    if (size <= most) break
    const short = shortenOutput(entry)
    if (short === entry) continue
    kept[i] = short
    const now = sizeOf(short)
    size -= (sizes[i] ?? 0) - now
    sizes[i] = now
    shortened++
  }
  let dropped = 0
  while (size > most && dropped < kept.length - 1) size -= sizes[dropped++] ?? 0
  const left = kept.slice(dropped)
  const [last] = left
  if (size <= most || !last) return { entries: left, shortened, dropped, isLastCut: false }
  return { entries: [cutBeginning(last, most)], shortened, dropped, isLastCut: true }
}

const sizeOf = (entry: Entry): number => Buffer.byteLength(writeEntry(entry))

// By its share of bytes first, then by what is still too much: scripts are not spread evenly over a text.
function cutBeginning(entry: Entry, most: number): Entry {
  let cut = entry
  for (let size = sizeOf(cut); size > most && cut.text !== ''; size = sizeOf(cut)) {
    const over = Math.max(1, Math.ceil(((size - most) / size) * cut.text.length))
    cut = { ...cut, text: endOf(cut.text, cut.text.length - over) }
  }
  if (sizeOf(cut) <= most) return cut
  // A character has four bytes at most.
  const each = Math.floor(most / (4 * (cut.facts.length + 1)))
  return { ...cut, facts: cut.facts.map((fact) => beginningOf(fact, each)) }
}

function shortenOutput(entry: Entry): Entry {
  const { text, isOutput } = entry
  if (!isOutput || text.length <= 3 * keptOfOutput) return entry
  const [begin, end] = [beginningOf(text, keptOfOutput), endOf(text, keptOfOutput)]
  const left = text.length - begin.length - end.length
  return { ...entry, text: `${begin}\n[${left.toLocaleString('en')} characters left out]\n${end}` }
}

/** At most so many characters from the beginning; none is taken apart. */
export const beginningOf = (text: string, most: number): string =>
  text.slice(0, boundaryAt(text, most, 'before'))

/** At most so many characters from the end; none is taken apart. */
export const endOf = (text: string, most: number): string =>
  text.slice(boundaryAt(text, Math.max(0, text.length - most), 'after'))

/** What a person sees as one character may be several: an emoji with its colour, a letter with its accents. */
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** No character that people write is longer. */
const longest = 64

// Looks at the neighbourhood only: a text may have millions.
function boundaryAt(text: string, at: number, side: 'before' | 'after'): number {
  if (at <= 0) return 0
  if (at >= text.length) return text.length
  const from = Math.max(0, at - longest)
  const around = text.slice(from, at + longest)
  let before = from
  for (const { index, segment } of characters.segment(around)) {
    const end = from + index + segment.length
    if (from + index === at) return at
    if (end > at) return side === 'before' ? before : end
    before = end
  }
  return at
}
