import { plainText } from '../../tree/plain-text.ts'

// What a line of Markdown begins, as far as it decides where blocks end.

export interface Fence {
  readonly indent: number
  readonly mark: string
  readonly language: string
}

const odd = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u

/** A line as it may be shown. Most are so already. */
export const shownLine = (line: string): string =>
  odd.test(line) ? plainText(line).replaceAll('\t', '    ') : line

export const indentOf = (line: string): number => line.length - line.trimStart().length

/** The fence that a line opens. */
export function fenceIn(line: string): Fence | null {
  const [, indent = '', mark, language = ''] = /^( *)(`{3,}|~{3,})(.*)$/.exec(line) ?? []
  if (mark === undefined || (mark.startsWith('`') && language.includes('`'))) return null
  return { indent: indent.length, mark, language: language.trim() }
}

/** Whether a line closes a fence. */
export function closes(line: string, { mark }: Fence): boolean {
  const [, end = ''] = /^ {0,3}(`{3,}|~{3,}) *$/.exec(line) ?? []
  return end.startsWith(mark)
}

/** Whether a line that goes on may yet close a fence. */
export const mayClose = (line: string, { mark }: Fence): boolean =>
  line.trim() !== '' && mark.startsWith(line.trim())

export interface Item {
  readonly indent: number
  /** Null for one with a bullet. */
  readonly number: number | null
  /** It has words. */
  readonly hasText: boolean
}

const rule = /^ {0,3}([-*_])(?: *\1){2,} *$/

export const isRule = (line: string): boolean => rule.test(line)

export const isHeading = (line: string): boolean => /^ {0,3}#{1,6}(?: |$)/.test(line)

export const isTableRule = (line: string): boolean => /^ *\|?(?: *:?-+:? *\|)+ *(?::?-+:?)? *$/.test(line)

/** The item of a list that a line begins. */
export function itemIn(line: string): Item | null {
  const found = /^( *)(?:[-*+]|(\d{1,9})[.)])(?: +(.*))?$/.exec(line)
  if (!found || isRule(line)) return null
  const [, indent = '', number, text = ''] = found
  return {
    indent: indent.length,
    number: number === undefined ? null : Number(number),
    hasText: text.trim() !== '',
  }
}
