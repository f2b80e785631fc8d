import { expect, test } from 'vitest'
import { drawResults } from './results.ts'
import type { Row } from './row.ts'

const circumstances = [
  ['date', '2026-01-02 03:04'],
  ['Codex', '1.2.3'],
] as const
const baseline = { what: 'a bare row', measured: 2 }
const reached: Row = { kind: 'ratio', what: 'fork', unit: 'ms', measured: 3, baseline, limit: 2 }
const missed: Row = { ...reached, measured: 5, spread: [4, 6] }

const draw = (...rows: readonly Row[]): readonly string[] =>
  drawResults(circumstances, [{ title: 'Forks', rows }], ['  ink 8 | 200 ms']).split('\n')

test('the page says when and with which versions was measured', () => {
  expect(draw(reached)).toEqual(expect.arrayContaining(['| date | 2026-01-02 03:04 |', '| Codex | 1.2.3 |']))
})

test('each row keeps its baseline and its limit', () => {
  expect(draw(reached)).toContain('| fork | 3 ms |  | 2 ms a bare row | 1.50 × | ≤ 2 × | ok |')
  expect(draw(reached)).toContain('Every figure is reached.')
})

test('figures that were missed are named on top', () => {
  const lines = draw(reached, missed)
  expect(lines).not.toContain('Every figure is reached.')
  expect(lines).toContain('- Forks: fork, 5 ms, 4 – 6 ms, 2 ms a bare row, 2.50 ×, ≤ 2 ×')
  expect(lines.indexOf('Missed:')).toBeLessThan(lines.indexOf('## Forks'))
})

test('what could not be measured stands in the table with its reason', () => {
  const lines = draw({ kind: 'absent', what: 'pi 1.0', why: 'it takes none' })
  expect(lines).toContain('| pi 1.0 | – |  | it takes none |  |  |  |')
  expect(lines).toContain('Every figure is reached.')
})

test('a line within a table stays in its cell', () => {
  expect(draw({ kind: 'absent', what: 'pi', why: 'a | b' })).toContain('| pi | – |  | a \\| b |  |  |  |')
})
