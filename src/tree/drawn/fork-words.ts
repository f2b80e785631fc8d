import { plainLine } from '../plain-text.ts'
import type { ForkOutcome, SideFork } from '../side-fork.ts'

/** Which kind of fork it is and how that goes: `background run: reported, pinged`. */
export const forkWords = (fork: SideFork): string =>
  fork.kind === 'background' ? `background run: ${stateWords(fork)}` : interactiveWords(fork)

/** How it goes, or how it went. */
export function stateWords(fork: SideFork): string {
  if (fork.kind === 'interactive') return fork.outcome === null ? 'open' : endWords(fork, fork.outcome)
  const deeds = [...(fork.reported ? ['reported'] : []), ...(fork.pinged ? ['pinged'] : [])]
  if (fork.outcome === null) return [fork.began === null ? 'waits' : 'running', ...deeds].join(', ')
  if (fork.outcome === 'finished') return deeds.length === 0 ? 'silent' : deeds.join(', ')
  const end = endWords(fork, fork.outcome)
  return [...deeds.filter((deed) => deed !== end), end].join(', ')
}

const interactiveWords = (fork: SideFork): string =>
  fork.outcome === null ? 'interactive fork, open' : `fork ${endWords(fork, fork.outcome)}`

function endWords({ reason }: SideFork, outcome: ForkOutcome): string {
  if (outcome === 'timed-out') return 'timed out'
  return outcome === 'failed' && reason ? `failed: ${plainLine(reason)}` : outcome
}
