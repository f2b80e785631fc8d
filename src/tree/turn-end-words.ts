import type { TurnOutcome } from './turn.ts'

/** Tells the person how a turn ended that did not finish. */
export const turnEndWords = (outcome: Exclude<TurnOutcome, 'finished'>, reason: string | null): string =>
  `The turn ${outcome === 'failed' ? 'failed' : 'was interrupted'}${reason ? `: ${reason}` : '.'}`
