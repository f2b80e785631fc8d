import { type Absent, type Baseline, isMissed, type Row, timesBaseline, type Unit } from './row.ts'

export const header = ['', 'measured', 'half of them', 'baseline', 'figure', 'limit', '']

/** The rows as columns of text, each group under its title. */
export function drawTable(groups: readonly { title: string; rows: readonly Row[] }[]): string {
  const lines = groups.flatMap(({ title, rows }) => [[title], ...rows.map(cellsOf)])
  const all = [header, ...lines]
  const widths = header.map((_, column) =>
    Math.max(...all.filter((cells) => cells.length > 1).map((cells) => cells[column]?.length ?? 0)),
  )
  return all
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** What stands in the columns of a row, in their order. */
export function cellsOf(row: Row): readonly string[] {
  if (row.kind === 'absent') return [`  ${row.what}`, '–', '', row.why, '', '', '']
  const { what, unit, measured, spread } = row
  const between = spread ? `${numberOf(spread[0], unit)} – ${amountOf(spread[1], unit)}` : ''
  return [`  ${what}`, amountOf(measured, unit), between, ...comparison(row)]
}

function comparison(row: Exclude<Row, Absent>): readonly string[] {
  const verdict = isMissed(row) ? 'missed' : 'ok'
  switch (row.kind) {
    case 'ratio':
      return [...besides(row, row.baseline), `≤ ${row.limit} ×`, verdict]
    case 'bound':
      return ['', '', `≤ ${amountOf(row.limit, row.unit)}`, verdict]
    case 'fact':
      return row.baseline ? [...besides(row, row.baseline), '', ''] : ['', '', '', '']
  }
}

const besides = ({ measured, unit }: Exclude<Row, Absent>, baseline: Baseline): readonly string[] => [
  `${amountOf(baseline.measured, unit)} ${baseline.what}`,
  `${timesOf(timesBaseline(measured, baseline))} ×`,
]

// Of what is far below its baseline, enough digits to say how far.
const timesOf = (times: number): string => times.toFixed(times < 0.001 ? 5 : times < 0.1 ? 4 : 2)

const amountOf = (value: number, unit: Unit): string => `${numberOf(value, unit)} ${unit}`

const numberOf = (value: number, unit: Unit): string =>
  unit === 'bytes' || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(value < 10 ? 2 : 1)
