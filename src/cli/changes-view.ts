import type { Style } from '../tree/drawn/paint.ts'
import { type FileChange, filesWord } from '../tree/file-change.ts'
import type { Left } from '../tree/files-mode.ts'
import { plainLine } from '../tree/plain-text.ts'
import type { Output } from './output.ts'

const shown = 40

const marks: Readonly<Record<FileChange['change'], readonly [string, Style]>> = {
  added: ['+', 'green'],
  changed: ['~', 'yellow'],
  deleted: ['-', 'red'],
}

/** What putting files back changes, and what it leaves alone, one line each. */
export function printChanges(
  out: Output,
  { changes, left }: { readonly changes: readonly FileChange[]; readonly left: readonly Left[] },
): void {
  for (const { path, change } of changes.slice(0, shown)) {
    const [mark, style] = marks[change]
    out.line(`  ${out.paint(style, `${mark} ${plainLine(path)}`)}`)
  }
  if (changes.length > shown) out.line(`  … and ${filesWord(changes.length - shown)} more`)
  for (const { path, why } of left.slice(0, shown)) {
    out.line(`  ${out.paint('dim', `  ${plainLine(path)} stays as it is: ${plainLine(why)}`)}`)
  }
  if (left.length > shown) out.line(`  … and ${filesWord(left.length - shown)} more stay as they are`)
}
