import type { TreeRow } from '../../tree/forest.ts'
import type { SessionKind } from '../../tree/session.ts'
import type { Tone } from '../screen/theme.ts'

export const kindWords: Readonly<Record<SessionKind, string>> = {
  root: 'session',
  branch: 'branch',
  interactive: 'fork',
  background: 'background',
}

/** Of many, for a heading. */
export const kindsWords: Readonly<Record<SessionKind, string>> = {
  root: 'sessions',
  branch: 'branches',
  interactive: 'interactive forks',
  background: 'background forks',
}

/** How it stands with a session, in a word or two; empty where nothing is to be said. */
export function stateWords({ state, fork }: TreeRow, isAsked: boolean): string {
  if (isAsked) return 'waiting for approval'
  if (state === 'running') return 'running'
  if (state === 'seeding') return 'getting context'
  if (!fork) return ''
  if (fork.outcome === null) {
    if (fork.kind === 'interactive') return 'open'
    return fork.began === null ? 'waits its turn' : 'running'
  }
  if (fork.outcome === 'timed-out') return 'timed out'
  return fork.outcome === 'finished' && fork.reported ? 'reported' : fork.outcome
}

const shortStates: Readonly<Record<string, string>> = {
  'waiting for approval': 'asks',
  'getting context': 'context',
  'waits its turn': 'waits',
}

/** The same where there is little room. */
export const shortState = (words: string): string => shortStates[words] ?? words

/** In which tone that is said: what needs somebody stands out. */
export function stateTone(row: TreeRow, isAsked: boolean): Tone {
  if (isAsked) return 'warning'
  if (row.state === 'running') return 'accent'
  const { outcome } = row.fork ?? {}
  return outcome === 'failed' || outcome === 'timed-out' ? 'bad' : 'dim'
}

/** All that is known of a session but its id, in small letters, to be looked through. */
export function searchWords(row: TreeRow, isAsked: boolean): string {
  const { title, agent, model, labels, kind } = row
  const words = [title, ...labels, agent, model ?? '', kindsWords[kind], stateWords(row, isAsked)]
  return words.join('\n').toLowerCase()
}

export const sessionsWord = (count: number): string => (count === 1 ? '1 session' : `${count} sessions`)
