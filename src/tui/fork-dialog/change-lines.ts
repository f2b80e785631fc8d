import { type FileChange, filesWord } from '../../tree/file-change.ts'
import type { Left } from '../../tree/files-mode.ts'
import { plainText, visibleText } from '../../tree/plain-text.ts'
import { cut } from '../screen/frame.ts'
import type { Paint, Tone } from '../screen/theme.ts'
import { wrapped } from '../screen/wrap.ts'

/** What putting files back would do. */
export interface PuttingBack {
  readonly changes: readonly FileChange[]
  readonly left: readonly Left[]
  readonly notices?: readonly string[]
}

const marks: Readonly<Record<FileChange['change'], readonly [string, Tone]>> = {
  added: ['+', 'added'],
  changed: ['~', 'hunk'],
  deleted: ['-', 'removed'],
}

/** What putting files back would change and what it leaves alone, one line each. */
export function changeLines(
  { changes, left, notices = [] }: PuttingBack,
  columns: number,
  paint: Paint,
): readonly string[] {
  const said = (text: string, tone: Tone): readonly string[] =>
    wrapped(plainText(text), columns).map((line) => paint(tone, line))
  return [
    ...(changes.length === 0 ? said('No file is otherwise: nothing would change.', 'plain') : []),
    ...changes.map(({ path, change }) => {
      const [mark, tone] = marks[change]
      return paint(tone, cut(`${mark} ${visibleText(path)}`, columns))
    }),
    ...(left.length === 0 ? [] : ['', ...said(`Left as they are: ${filesWord(left.length)}`, 'strong')]),
    ...left.flatMap(({ path, why }) => said(`  ${visibleText(path)}: ${why}`, 'dim')),
    ...notices.flatMap((notice) => ['', ...said(notice, 'warning')]),
  ]
}
