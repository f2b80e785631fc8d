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

/**
 * A diff, as git draws one. On a terminal without what would drive that; elsewhere byte by byte, so that `git apply` takes it, and how
 * many files changed is said on stderr.
 */
export async function printPatch(out: Output, err: Output, files: FilesDiff): Promise<void> {
  const { changes, patch } = files
  const count = changes.length === 1 ? '1 file' : `${changes.length} files`
  const said = out.isTerminal ? out : err
  said.line(said.paint('dim', changes.length === 0 ? 'No file changed.' : `${count} changed.`))
  if (!out.isTerminal) {
    out.write(bytesOf(files))
    await out.drained()
    return
  }
  for (const line of plainText(patch).split('\n').slice(0, -1)) {
    if (out.closed) return
    const [, style] = styles.find(([beginning]) => line.startsWith(beginning)) ?? []
    out.line(style ? out.paint(style, line) : line)
    await out.drained()
  }
}

const bytesOf = ({ patch, patchBytes }: FilesDiff): string | Buffer =>
  patchBytes === undefined ? patch : Buffer.from(patchBytes, 'base64')
