import type { ForkContext } from '../../tree/fork-seed.ts'
import type { SessionStatus } from '../../tree/session-status.ts'
import type { Tone } from '../screen/theme.ts'
import { tokenWords } from '../tab/token-words.ts'

/** How full an agent would be with a conversation. */
export interface Fullness {
  /** From 0 to 1; null where there is no limit. */
  readonly share: number | null
  readonly words: string
  readonly tone: Tone
  /** From 80 % on. */
  readonly warning: string | null
}

const nearlyFull = 0.8

/** The tokens that an agent would get, the seed's where it is handed one, against its context window. */
export function fullnessOf(
  { tokens: uncut, window }: Pick<SessionStatus, 'tokens' | 'window'>,
  context: ForkContext | null,
  agent: string,
): Fullness {
  const seed = context?.kind === 'seed' ? context : null
  const tokens = seed?.tokens ?? uncut
  const isCut = seed !== null && seed.leftOut !== null
  if (window === null)
    return { share: null, words: `${tokenWords(tokens)} tokens, no limit`, tone: 'dim', warning: null }
  const share = window === 0 ? 1 : tokens / window
  // Not rounded up: 80 % and 100 % are what the warnings begin with.
  const whole = Math.floor(100 * share)
  const percent = whole === 0 && tokens > 0 ? '<1 %' : `${whole.toLocaleString('en')} %`
  const cut = isCut ? `, cut from ${tokenWords(uncut)}` : ''
  const words = `${tokenWords(tokens)} of ${tokenWords(window)} tokens, ${percent}${cut}`
  const warning = seed ? seed.warning : warningOf(share, percent, agent)
  const isTooFull = share >= 1 || isCut
  return { share, words, tone: warning === null ? 'good' : isTooFull ? 'bad' : 'warning', warning }
}

/** A bar of so many cells. */
export function barOf(share: number, cells: number): string {
  const full = Math.min(cells, Math.max(share > 0 ? 1 : 0, Math.round(share * cells)))
  return '█'.repeat(full) + '░'.repeat(cells - full)
}

function warningOf(share: number, percent: string, agent: string): string | null {
  if (share < nearlyFull) return null
  const takes = `about ${percent} of ${agent}'s context window`
  return share >= 1
    ? `The conversation does not fit: it would take ${takes}.`
    : `The conversation takes ${takes}: there is little room left to work in.`
}
