import type { Style } from '../tree/drawn/paint.ts'
import type { FilesDiff } from '../tree/file-change.ts'
import { plainText } from '../tree/plain-text.ts'
import type { Output } from './output.ts'

const styles: readonly (readonly [string, Style])[] = [
  ['diff --git ', 'bold'],
  ['--- ', 'bold'],
  ['+++ ', 'bold'],
  ['@@', 'cyan'],
  ['+', 'green'],
  ['-', 'red'],
]

/** A diff for people: as git draws one. */
export async function printPatch(out: Output, { changes, patch }: FilesDiff): Promise<void> {
  const count = changes.length === 1 ? '1 file' : `${changes.length} files`
  out.line(out.paint('dim', changes.length === 0 ? 'No file changed.' : `${count} changed.`))
  for (const line of plainText(patch).split('\n').slice(0, -1)) {
    if (out.closed) return
    const [, style] = styles.find(([beginning]) => line.startsWith(beginning)) ?? []
    out.line(style ? out.paint(style, line) : line)
    await out.drained()
  }
}
