import { BoughError, type ErrorCode } from '../../tree/error.ts'
import { errorWords } from '../commands/here-words.ts'

/** What was asked for, or why nobody can tell. */
export type Known<T> = { readonly ok: true; readonly value: T } | Unknown

export interface Unknown {
  readonly ok: false
  /** For a person. */
  readonly why: string
  readonly code: ErrorCode | null
}

/** Never rejects: one thing that cannot be told hides no other. */
export const known = <T>(asked: Promise<T>): Promise<Known<T>> =>
  asked.then((value) => ({ ok: true, value }), unknown)

export const unknown = (error: unknown): Unknown => ({
  ok: false,
  why: errorWords(error),
  code: error instanceof BoughError ? error.code : null,
})
