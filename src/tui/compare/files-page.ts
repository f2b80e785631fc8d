import { type FilesDiff, filesWord } from '../../tree/file-change.ts'
import { plainText } from '../../tree/plain-text.ts'
import type { Paint, Theme, Tone } from '../screen/theme.ts'
import { wrapped } from '../screen/wrap.ts'
import { diffTones } from '../transcript/diff-lines.ts'
import { ScrolledLines, type ScrollPlace } from './scrolled-lines.ts'

/** So many characters of a line are drawn. */
const longestLine = 2000

interface Line {
  readonly text: string
  readonly tone: Tone
}

/** How the files of two sessions differ, drawn for one width. */
export class FilesPage {
  readonly #lines: ScrolledLines<Line>

  /** `places` are those of such a page before. */
  constructor(
    { changes, patch }: FilesDiff,
    columns: number,
    { paint }: Theme,
    [place]: readonly ScrollPlace[] = [],
  ) {
    const count = changes.length
    const words = count === 0 ? 'Their files are the same.' : `${differ(count)}, the left one’s first:`
    const lines = plainText(patch).split('\n').slice(0, -1)
    const tones = diffTones(lines, 'plain')
    const head: readonly Line[] = [
      { text: words, tone: 'dim' },
      { text: '', tone: 'plain' },
    ]
    this.#lines = new ScrolledLines(
      [...head, ...lines.map((text, i) => ({ text, tone: tones[i] ?? 'plain' }))],
      (line) => painted(line, columns, paint),
      place,
    )
  }

  get places(): readonly ScrollPlace[] {
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

function painted({ text, tone }: Line, columns: number, paint: Paint): readonly string[] {
  const more = text.length - longestLine
  const shown = more > 0 ? `${text.slice(0, longestLine)} … (${more} more characters)` : text
  return wrapped(shown, columns).map((each) => paint(tone, each))
}
