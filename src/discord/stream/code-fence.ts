import { fence, withoutFences } from '../views/code-block.ts'

/** A block of code that is open. */
export interface Fence {
  /** What ends it. */
  readonly mark: string
  /** The line that begins it on Discord, with its language. */
  readonly line: string
}

// Discord knows no indented code: also far to the right, as in a list within a list, it is a fence; and behind the sign of an item.
const fenceLine = /^\s*((?:[-*+]|\d{1,9}[.)])\s+)*(`{3,20}|~{3,20})([^`]*)$/
const longestLanguage = 40

/** Which block of code is open after a line, when `open` was before it. */
export function fenceAfter(line: string, open: Fence | null): Fence | null {
  const [, item, mark = '', language = ''] = fenceLine.exec(line) ?? []
  if (mark === '') return open
  const info = language.trim()
  if (!open) return { mark, line: `${fence}${info.slice(0, longestLanguage)}` }
  return info === '' && item === undefined && mark.startsWith(open.mark) ? null : open
}

/** A line as Discord has to be given it, with the blocks that are open before and after it. */
export function lineForDiscord(line: string, open: Fence | null, after: Fence | null): string {
  if (open && after) return withoutFences(line)
  return open || after ? line.replace(/`{3,}|~{3,}/, fence) : line
}

/** A text behind which something can stand that is no code: a block that is open in it is closed. */
export function closed(text: string): string {
  const open = text.split('\n').reduce<Fence | null>((before, line) => fenceAfter(line, before), null)
  return open ? `${text}\n${open.mark}` : text
}
