import { type FilesDiff, filesWord } from '../../tree/file-change.ts'
import { plainText } from '../../tree/plain-text.ts'
import type { Theme, Tone } from '../screen/theme.ts'
import { wrapped } from '../screen/wrap.ts'
import { type Place, ScrolledLines } from './scrolled-lines.ts'

const tones: readonly (readonly [string, Tone])[] = [
  ['diff --git ', 'strong'],
  ['--- ', 'strong'],
  ['+++ ', 'strong'],
  ['@@', 'hunk'],
  ['+', 'added'],
  ['-', 'removed'],
]

/** So many characters of a line are drawn. */
const longestLine = 2000

/** How the files of two sessions differ, drawn for one width. */
export class FilesPage {
  readonly #lines: ScrolledLines<string | readonly string[]>

  /** `places` are those of such a page before. */
  constructor(
    { changes, patch }: FilesDiff,
    columns: number,
    { paint }: Theme,
    [place]: readonly Place[] = [],
  ) {
    const count = changes.length
    const words = count === 0 ? 'Their files are the same.' : `${differ(count)}, the left one’s first:`
    const lines = plainText(patch).split('\n').slice(0, -1)
    const head = wrapped(words, columns).map((line) => paint('dim', line))
    this.#lines = new ScrolledLines<string | readonly string[]>(
      [[...head, ''], ...lines],
      (line) => (typeof line === 'string' ? painted(line, columns, paint) : line),
      place,
    )
  }

  get places(): readonly Place[] {
    return [this.#lines.place]
  }

  moveBy(lines: number): void {
    this.#lines.moveBy(lines)
  }

  toStart(): void {
    this.#lines.toItem(0)
  }

  toEnd(): void {
    this.#lines.toEnd()
  }

  draw(rows: number): readonly string[] {
    return this.#lines.draw(rows)
  }
}

const differ = (count: number): string => `${filesWord(count)} ${count === 1 ? 'differs' : 'differ'}`

function painted(line: string, columns: number, paint: Theme['paint']): readonly string[] {
  const [, tone = 'plain'] = tones.find(([start]) => line.startsWith(start)) ?? []
  const more = line.length - longestLine
  const shown = more > 0 ? `${line.slice(0, longestLine)} … (${more} more characters)` : line
  return wrapped(shown, columns).map((each) => paint(tone, each))
}
