import { median, namesIn } from './bounds.ts'
import type { Verdict } from './soak.ts'

/** A verdict for a person: a short table, and what is broken. */
export function drawVerdict({ samples, harms, counts, events, broken }: Verdict): readonly string[] {
  const last = samples.at(-1)
  const thirds = [0, 1, 2].map((i) => samples.slice((samples.length * i) / 3, (samples.length * (i + 1)) / 3))
  const rows = namesIn(samples).map((name) => {
    const figures = thirds.map((third) => third.flatMap(({ processes }) => processes.get(name) ?? []))
    const { kills = 0, freezes = 0 } = harms.get(name) ?? {}
    return [
      name,
      ...figures.map((each) => shown(median(each.map(({ megabytes }) => megabytes)))),
      ...figures.map((each) => shown(median(each.map(({ handles }) => handles)))),
      shown(Math.max(...figures.flat().map(({ threads }) => threads))),
      String(kills),
      String(freezes),
    ]
  })
  const head = ['medians of thirds', 'MB', 'MB', 'MB', 'handles', '', '', 'threads', 'kills', 'freezes']
  const most = (of: (sample: (typeof samples)[number]) => number) => Math.max(...samples.map(of))
  const mega = (bytes: number) => (bytes / 1e6).toFixed(1)
  return [
    ...inColumns([head, ...rows]),
    '',
    `${last?.messages} messages, ${events} events, ${last?.worktrees} worktrees, ${last?.temporaryFiles} temporary files`,
    `database ${mega(last?.databaseBytes ?? 0)} MB, its log at most ${mega(most(({ logBytes }) => logBytes))} MB, snapshots ${mega(last?.snapshotBytes ?? 0)} MB`,
    `processes at most ${most(({ relatives }) => relatives)}, of agents ${most(({ agents }) => agents)}; at rest ${last?.relatives}, of agents ${last?.agents}`,
    [...counts].map(([what, times]) => `${what} ${times}`).join(' · '),
    '',
    broken.length === 0 ? 'Nothing is broken.' : `${broken.length} things are broken:`,
    ...broken.map((words) => `- ${words}`),
  ]
}

const shown = (figure: number): string => (Number.isFinite(figure) ? String(Math.round(figure)) : '–')

function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  return rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  )
}
