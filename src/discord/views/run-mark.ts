import { aside } from './limits.ts'

// The line above what a background run sends, so that nobody takes it for the conversation around it.

export const runMark = (title: string): string => aside(`background run “${title}”`)

/** What a run said, without that line: for a quote. */
export const withoutRunMark = (text: string): string =>
  text.replace(/^-# background run “[^\n]*”(?:\n|$)/, '')
