import { ageWords } from '../../tree/age-words.ts'
import type { Permission } from '../../tree/permission.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { ForkOutcome, SideFork } from '../../tree/side-fork.ts'

/** What a run was asked to do, on one line. */
export const aboutRun = ({ topic, prompt }: SideFork): string => plainLine(topic ?? prompt ?? 'open session')

/** How a background run goes, or how it went, and since when: `reported · 2 minutes ago`. */
export function runWords(run: SideFork, permissions: readonly Permission[], now: number): string {
  const { began, started, ended } = run
  return `${stateWords(run, permissions)} · ${ageWords(ended ?? began ?? started, now)}`
}

/** Whether a run asks something, and goes on only when that is answered. */
export const waitsForYou = ({ state, sessionID }: SideFork, permissions: readonly Permission[]): boolean =>
  state === 'open' && permissions.some((permission) => permission.sessionID === sessionID)

/** How a run goes, or how it went. */
export function stateWords(run: SideFork, permissions: readonly Permission[]): string {
  const { outcome, began, reported, pinged } = run
  const did = [...(reported ? ['reported'] : []), ...(pinged ? ['pinged'] : [])]
  if (waitsForYou(run, permissions)) return ['waits for you', ...did].join(', ')
  if (outcome === null) return [began === null ? 'waits its turn' : 'running', ...did].join(', ')
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
