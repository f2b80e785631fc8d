import type { SideFork } from '../../tree/side-fork.ts'

// What the idle timer does about an interactive fork, looked at every minute:
//
//   somebody says something ◀── the person ── asked
//           │                                   ▲ │
//           └── nobody for `idleTimeout` ───────┘ └── `idleTimeout` again, and the person says nothing ──▶ ended, reported
//
// What the agent says is activity too, but does not take back that it was asked: it cannot keep a fork alive by talking to
// itself.

export type IdleStep = 'wait' | 'ask' | 'end'

const minute = 60_000

/** A turn that runs is activity. */
export function idleStep(
  { kind, state, idleTimeout, lastActivity, promptedAt }: SideFork,
  isRunning: boolean,
  now: number,
): IdleStep {
  if (kind !== 'interactive' || state !== 'open' || isRunning) return 'wait'
  const limit = idleTimeout * minute
  if (promptedAt !== null) return now - promptedAt > limit ? 'end' : 'wait'
  return now - lastActivity > limit ? 'ask' : 'wait'
}
