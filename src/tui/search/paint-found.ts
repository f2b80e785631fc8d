import { stripTerminalSequences } from '@earendil-works/pi-tui'
import type { Paint } from '../screen/theme.ts'

const esc = '\u001b'

/** A drawn line with what was found in it painted; `isAt` where the person is at it. */
export function paintFound(line: string, pattern: RegExp, paint: Paint, isAt: boolean): string {
  const plain = stripTerminalSequences(line)
  const ranges = Array.from(
    plain.matchAll(pattern),
    ({ 0: text, index }) => [index, index + text.length] as const,
  )
  if (ranges.length === 0) return line
  let painted = ''
  /** The styles that are on, to be put on again after a match. */
  let styles = ''
  let at = 0
  for (const { code, text } of piecesOf(line)) {
    if (code !== '') {
      styles = code === `${esc}[0m` ? '' : styles + code
      painted += code
      continue
    }
    const end = at + text.length
    let done = at
    for (const [from, to] of ranges) {
      if (to <= at || from >= end) continue
      const [first, last] = [Math.max(from, at), Math.min(to, end)]
      painted += plain.slice(done, first) + (styles === '' ? '' : `${esc}[0m`)
      painted += paint('found', plain.slice(first, last)) + styles
      done = last
    }
    painted += plain.slice(done, end)
    at = end
  }
  return isAt && painted.startsWith(' ') ? paint('found', '›') + painted.slice(1) : painted
}

interface LinePiece {
  readonly code: string
  readonly text: string
}

function* piecesOf(line: string): Generator<LinePiece> {
  let at = 0
  while (at < line.length) {
    const begins = line.indexOf(esc, at)
    if (begins !== at) {
      const end = begins === -1 ? line.length : begins
      yield { code: '', text: line.slice(at, end) }
      at = end
    } else {
      const end = endOfCode(line, at)
      yield { code: line.slice(at, end), text: '' }
      at = end
    }
  }
}

// A style ends with its letter, a link with a bell or a backslash.
function endOfCode(line: string, at: number): number {
  if (line[at + 1] === '[') {
    let end = at + 2
    while (end < line.length && !/[a-zA-Z]/.test(line[end] ?? '')) end += 1
    return Math.min(line.length, end + 1)
  }
  const bell = line.indexOf('\u0007', at)
  const back = line.indexOf(`${esc}\\`, at + 1)
  if (bell === -1 && back === -1) return line.length
  return bell !== -1 && (back === -1 || bell < back) ? bell + 1 : back + 2
}
