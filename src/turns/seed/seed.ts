import { createHash } from 'node:crypto'
import type { SessionID } from '../../tree/ids.ts'
import type { Message } from '../../tree/message.ts'
import { seedInstruction } from '../../tree/prompts.ts'
import { cutToFit } from './cut.ts'
import { bytesOf, tokensIn } from './tokens.ts'
import { type Entry, entriesOf, mark, writeEntry } from './transcript.ts'

/** A prompt that carries a line into a new native session. Its text is never stored. */
export interface Seed {
  readonly text: string
  readonly sha256: string
  /** About. */
  readonly tokens: number
  /** The same, if nothing had been left out. */
  readonly wholeTokens: number
  /** For a person and for the agent: what had to be left out; null for nothing. */
  readonly leftOut: string | null
}

/** So much of a window a seed may take: the agent needs room to work in. */
const share = 0.9

/** Builds the seed of a fork from its line. `window` is that of the agent, in tokens; null for one without limits. */
export function buildSeed(forkID: SessionID, line: Iterable<Message>, window: number | null): Seed {
  const entries = [...entriesOf(line)]
  const whole = write(forkID, entries, null)
  const room = window === null ? Number.POSITIVE_INFINITY : Math.floor(window * share)
  const wholeTokens = tokensIn(whole)
  if (wholeTokens <= room) return seedOf(whole, wholeTokens, null)
  const frame = Buffer.byteLength(write(forkID, [], 'x'.repeat(longestWords)))
  const cut = cutToFit(entries, Math.max(0, bytesOf(room) - frame))
  const leftOut = words(cut)
  return seedOf(write(forkID, cut.entries, leftOut), wholeTokens, leftOut)
}

/** What is said of what was left out takes no more characters than this. */
const longestWords = 200

const seedOf = (text: string, wholeTokens: number, leftOut: string | null): Seed => ({
  text,
  sha256: sha256Of(text),
  tokens: tokensIn(text),
  wholeTokens,
  leftOut,
})

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Whether an agent answered a seed as it was told to, and said nothing else. */
export const isAcknowledgement = (text: string): boolean =>
  /^\W{0,2}ready[.!]?\W{0,2}$/i.test(text.trim()) && !text.includes('?')

function write(forkID: SessionID, entries: readonly Entry[], leftOut: string | null): string {
  return [
    `${mark} bough seed ${forkID}: begin ${mark}`,
    seedInstruction,
    ...(leftOut === null ? [] : [`Left out, because it was too long: ${leftOut}.`]),
    '',
    ...entries.map(writeEntry),
    `${mark} bough seed ${forkID}: end ${mark}`,
    seedInstruction,
    '',
  ].join('\n')
}

function words({ shortened, dropped, isLastCut }: ReturnType<typeof cutToFit>): string {
  const parts = [
    ...(shortened > 0 ? [`the middle of ${count(shortened, 'output')} of tools`] : []),
    ...(dropped > 0 ? [`the first ${count(dropped, 'entry')}`] : []),
    ...(isLastCut ? ['the beginning of the last entry'] : []),
  ]
  return parts.join(', ')
}

const count = (number: number, noun: 'output' | 'entry'): string =>
  `${number.toLocaleString('en')} ${number === 1 ? noun : noun === 'entry' ? 'entries' : `${noun}s`}`
