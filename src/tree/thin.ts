import type { Snapshot } from './snapshot.ts'

const day = 24 * 60 * 60_000

/** The older snapshots are, the fewer are kept: of each stretch of this length the newest one. */
const stages: readonly { readonly until: number; readonly every: number }[] = [
  { until: 7 * day, every: 0 },
  { until: 30 * day, every: day },
  { until: 180 * day, every: 7 * day },
  { until: Number.POSITIVE_INFINITY, every: 30 * day },
]

/** Which snapshots of one project may go because newer ones are near; `stays` are kept whatever their age. */
export function thin(
  snapshots: readonly Snapshot[],
  stays: ReadonlySet<Snapshot['id']>,
  now: number,
): readonly Snapshot[] {
  const kept = new Set<string>()
  const goes: Snapshot[] = []
  for (const snapshot of snapshots.toSorted((a, b) => b.created - a.created)) {
    const age = now - snapshot.created
    const every = stages.find(({ until }) => age < until)?.every ?? 0
    if (every === 0 || stays.has(snapshot.id)) continue
    const stretch = `${snapshot.root} ${every} ${Math.floor(snapshot.created / every)}`
    if (kept.has(stretch)) goes.push(snapshot)
    else kept.add(stretch)
  }
  return goes
}
