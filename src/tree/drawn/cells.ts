// How wide a text stands in a terminal: counted in cells, by characters as a person sees them.

/** The cells a text takes. */
export function cellsOf(text: string): number {
  if (isSimple(text)) return text.length
  let cells = 0
  for (const { segment } of charactersOf(text)) cells += cellsOfCharacter(segment)
  return cells
}

/** The beginning of a text that fits, with `…` for what is left out. */
export function cutToCells(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text
  if (cells < 1) return ''
  let kept = ''
  let used = 0
  for (const { segment } of charactersOf(text)) {
    const width = cellsOfCharacter(segment)
    if (used + width > cells - 1) break
    kept += segment
    used += width
  }
  return `${kept}…`
}

export const padToCells = (text: string, cells: number): string =>
  text + ' '.repeat(Math.max(0, cells - cellsOf(text)))

// Latin letters, punctuation and lines: one cell each. Most text is that, and taking it apart would be slow.
const isSimple = (text: string): boolean =>
  /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2500-\u257f]*$/.test(text)

// Made when there is first something to take apart: it takes Node 18 ms. It holds nothing, so one does for all.
const segmenter = lazily(() => new Intl.Segmenter())
const charactersOf = (text: string): Intl.Segments => segmenter().segment(text)

function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

function cellsOfCharacter(character: string): number {
  if (/^[\p{Cc}\p{Cf}\p{Mn}\p{Me}]*$/u.test(character)) return 0
  return isWide(character) ? 2 : 1
}

// Emoji, and the East Asian blocks that terminals draw over two cells.
const isWide = (character: string): boolean =>
  /\p{Emoji_Presentation}|\ufe0f/u.test(character) ||
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18dff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u.test(
    character,
  )
