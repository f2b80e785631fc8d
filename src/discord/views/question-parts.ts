import { literal } from '../../tree/document/fences.ts'
import { shortID } from '../../tree/ids.ts'
import type { Permission } from '../../tree/permission.ts'
import { visibleLines } from '../../tree/permission-words.ts'
import { visibleText } from '../../tree/plain-text.ts'
import { codeBlock } from './code-block.ts'

// A question that does not fit into one message is asked in several. Only the last one has buttons, so nothing can be
// allowed before all of it was shown:
//
//   part 1 ──▶ part 2 ──▶ … ──▶ the last part, with the buttons
//
// A restart goes on after the parts that are there. One of too many parts is only begun here, and can only be denied.

export interface QuestionParts {
  /** Messages that come before the one with the buttons. */
  readonly before: readonly string[]
  /** What that one says. */
  readonly last: string
  readonly isTooLong: boolean
}

/** Characters of a part. What keeps fences apart adds half as many at most, and a message has room for 2,000. */
const partLength = 1200
const mostParts = 20
/** What is longer than that has no place of its own. */
const longestLine = 200

export function questionParts(permission: Permission): QuestionParts {
  const { id, tool, detail, caution } = permission
  const name = visibleText(tool)
  const warning = caution === null ? '' : visibleText(caution)
  const text = [
    ...(name.length > longestLine ? [name] : []),
    ...visibleLines(detail),
    ...(warning.length > longestLine ? [`(${warning})`] : []),
  ].join('\n')
  const title = name.length > longestLine ? 'A tool' : literal(name)
  const foot = warning === '' || warning.length > longestLine ? '' : `\n**${literal(warning)}**`
  const pieces = piecesOf(text)
  const count = pieces.length
  const part = (i: number): string => {
    const head = count === 1 ? `**${title}**` : `**${title}** · ${shortID(id)}, part ${i + 1} of ${count}`
    return `${head}\n${codeBlock(pieces[i] ?? '')}`
  }
  if (count > mostParts) {
    const where = `The question has ${count} parts: too long for Discord. Read it in a terminal, and allow it there: \`bough approve ${shortID(id)}\``
    return { before: [], last: `${part(0)}${foot}\n${where}`, isTooLong: true }
  }
  const before = Array.from({ length: count - 1 }, (_, i) => part(i))
  return { before, last: `${part(count - 1)}${foot}`, isTooLong: false }
}

/** At line ends where that is possible; no character is cut in two. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = []
  let rest = text
  while (rest.length > partLength) {
    const lineEnd = rest.lastIndexOf('\n', partLength)
    const isPair = /[\ud800-\udbff]/.test(rest.charAt(partLength - 1))
    const at = lineEnd > partLength / 2 ? lineEnd : isPair ? partLength - 1 : partLength
    pieces.push(rest.slice(0, at))
    rest = rest.slice(at === lineEnd ? at + 1 : at)
  }
  return [...pieces, rest]
}
