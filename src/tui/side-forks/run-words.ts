import { ageWords } from '../../tree/age-words.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { ForkOutcome, SideFork } from '../../tree/side-fork.ts'

/** What a run was asked to do, on one line. */
export const aboutRun = ({ topic, prompt }: SideFork): string => plainLine(topic ?? prompt ?? 'open session')

/** How a background run goes, or how it went, and since when: `reported · 2 minutes ago`. */
export function runWords(run: SideFork, now: number): string {
  const { began, started, ended } = run
  return `${stateWords(run)} · ${ageWords(ended ?? began ?? started, now)}`
}

function stateWords({ outcome, began, reported, pinged }: SideFork): string {
  const did = [...(reported ? ['reported'] : []), ...(pinged ? ['pinged'] : [])]
  if (outcome === null) return [began === null ? 'waits' : 'running', ...did].join(', ')
  if (outcome === 'finished') return did.length === 0 ? 'silent' : did.join(', ')
  return [...did.filter((deed) => deed !== ends[outcome]), ends[outcome]].join(', ')
}

const ends: Readonly<Record<Exclude<ForkOutcome, 'finished'>, string>> = {
  saved: 'saved',
  reported: 'reported',
  discarded: 'stopped',
  failed: 'failed',
  'timed-out': 'timed out',
}
