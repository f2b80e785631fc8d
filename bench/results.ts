import { execFileSync } from 'node:child_process'
import { arch, availableParallelism, cpus, loadavg, release, type } from 'node:os'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { peers } from './peers/all.ts'
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

/** Of this run. The load is asked for when it begins, since a run is a load by itself. */
export function circumstancesNow(loadBefore: string): Circumstances {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '..', ':!RESULTS.md') !== ''
  const commit = `${git('rev-parse', '--short', 'HEAD')}${changed ? ', with changes' : ''}`
  return [
    ['date', new Date().toISOString().slice(0, 16).replace('T', ' ')],
    ['bough', `${manifest.version}, commit ${commit}`],
    ['Node', process.version],
    ['git', git('--version').replace('git version ', '')],
    ['system', `${type()} ${release()}, ${arch()}`],
    ['processors', `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? '?'}`],
    ['load', `${loadBefore} before, ${loadNow()} after`],
    ...peers
      .filter((peer) => peer.name !== 'bough')
      .map((peer) => [peer.name, peer.installed() ? peer.version : 'not installed'] as const),
  ]
}

export const loadNow = (): string => loadavg()[0]?.toFixed(1) ?? '?'

const table = (names: readonly string[], rows: readonly (readonly string[])[]): string =>
  [names, names.map(() => '---'), ...rows].map((cells) => `| ${cells.map(inCell).join(' | ')} |`).join('\n')

const inCell = (text: string): string => trimmed(text).replaceAll('|', '\\|')

const trimmed = (text: string): string => text.trim()
