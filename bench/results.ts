import { join } from 'node:path'
import { isMissed, type Row } from './row.ts'
import { cellsOf, header } from './table.ts'

export const resultsFile = join(import.meta.dirname, 'RESULTS.md')

export interface MeasuredGroup {
  readonly title: string
  readonly rows: readonly Row[]
}

/** Where and with what was measured: names and values, in the order in which they are shown. */
export type Circumstances = readonly (readonly [name: string, value: string])[]

/** A whole run as a page: when and where, what was missed, the tables, and what others said elsewhere. */
export function drawResults(
  circumstances: Circumstances,
  groups: readonly MeasuredGroup[],
  elsewhere: readonly string[],
): string {
  const missed = groups.flatMap(({ title, rows }) =>
    rows
      .filter(isMissed)
      .map((row) => `- ${title}: ${cellsOf(row).slice(0, -1).map(trimmed).filter(Boolean).join(', ')}`),
  )
  return `${[
    '# Figures',
    'Written by `npm run bench` when it has measured everything. Times are p50; a figure is what was measured over its baseline, both of this run.',
    table(['', ''], circumstances),
    missed.length === 0 ? 'Every figure is reached.' : `Missed:\n\n${missed.join('\n')}`,
    ...groups.flatMap(({ title, rows }) => [`## ${title}`, table(header, rows.map(cellsOf))]),
    '## Measured elsewhere',
    elsewhere.map((line) => `- ${line.trim()}`).join('\n'),
  ].join('\n\n')}\n`
}

const table = (names: readonly string[], rows: readonly (readonly string[])[]): string =>
  [names, names.map(() => '---'), ...rows].map((cells) => `| ${cells.map(inCell).join(' | ')} |`).join('\n')

const inCell = (text: string): string => trimmed(text).replaceAll('|', '\\|')

const trimmed = (text: string): string => text.trim()
