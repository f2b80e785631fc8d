import { aside } from '../views/limits.ts'
import { longestMessage } from './split.ts'

// Under the last message of a reply that is still written stands a line that says so.

export const unfinished = (doing: string): string => aside(`${doing} …`)

/** Puts it there, as long as it fits. */
export function withMark(texts: readonly string[], mark: string): readonly string[] {
  const last = texts.at(-1)
  if (last === undefined || last.length + mark.length + 1 > longestMessage) return texts
  return [...texts.slice(0, -1), `${last}\n${mark}`]
}

/** A text without it; null where it has none. */
export function withoutMark(text: string): string | null {
  const [, said = null] = /^(.+)\n-# [^\n]* …$/s.exec(text) ?? []
  return said
}
