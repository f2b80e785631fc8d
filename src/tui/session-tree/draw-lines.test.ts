import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { testFork } from '../../tree/drawn/test-session.ts'
import type { TreeRow } from '../../tree/forest.ts'
import { noUsage } from '../../tree/usage.ts'
import { widthOf } from '../screen/frame.ts'
import { createTheme } from '../screen/theme.ts'
import { drawLines, type LinesLook } from './draw-lines.ts'
import { linesOf, nothingFolded } from './fold.ts'
import { stateWords } from './row-words.ts'
import { allFound, idOf, rowsOf } from './testing/forest.ts'

const minute = 60_000
const now = Date.UTC(2026, 5, 15, 12)

const look = (columns: number): LinesLook => ({
  columns,
  theme: createTheme('plain'),
  now,
  selected: null,
  hereID: idOf(0),
  marked: [],
  asked: new Set([idOf(3)]),
  isMain: ({ isMain }) => isMain,
})

const spent = { own: { ...noUsage, costUSD: 0.42 }, inherited: { ...noUsage, costUSD: 3 } }

const rows = rowsOf([-1, 0, 0, 0, 3, 4], (i): Partial<TreeRow> => {
  const updated = now - (i + 1) * 3 * minute
  const facts: readonly Partial<TreeRow>[] = [
    { title: 'Soup' },
    { title: 'Leek', cost: spent, labels: ['best'] },
    { title: 'Pea', kind: 'interactive' },
    { title: 'Ask first', agent: 'claude', state: 'running' },
    {
      title: 'A very long title that goes on and on and on, further than anybody would read',
      archived: true,
    },
    { title: '汤 \u001b[31mred\u001b[0m\nsoup', kind: 'background' },
  ]
  return { updated, ...facts[i] }
})

const ended = testFork({ sessionID: idOf(2), state: 'ended', outcome: 'discarded' })
const withForks = rows.map((row) => ({
  ...row,
  fork: row.title === 'Pea' ? ended : null,
  isMain: row.title === 'Soup',
}))

const draw = (columns: number, facts: Partial<LinesLook> = {}, shown = withForks): readonly string[] =>
  drawLines(linesOf(allFound(shown), nothingFolded), { ...look(columns), ...facts })

const plain = (lines: readonly string[]): string =>
  lines.map((line) => stripVTControlCharacters(line).trimEnd()).join('\n')

describe('a line of the session tree', () => {
  it('has title, kind and state, agent, age and own cost; main and labels are marked', () => {
    expect(plain(draw(100))).toMatchInlineSnapshot(`
      "  ◆ Soup                                           main                          offline  3m
        ├─○ Leek #best                                   branch                        offline  6m   $0.42
        ├─○ Pea                                          fork               discarded  offline  9m
        └─○ Ask first                                    branch             asks       claude   12m
          └─○ A very long title that goes on and on an…  branch · archived             offline  15m
            └─○ 汤 red soup                              background                    offline  18m"
    `)
  })

  it('shortens age and state, and then leaves out cost, agent, age, kind and state, where titles have no room', () => {
    expect(plain(draw(80))).toMatchInlineSnapshot(`
      "  ◆ Soup                                       main                          3m
        ├─○ Leek #best                               branch                        6m
        ├─○ Pea                                      fork               discarded  9m
        └─○ Ask first                                branch             asks       12m
          └─○ A very long title that goes on and o…  branch · archived             15m
            └─○ 汤 red soup                          background                    18m"
    `)
    expect(plain(draw(40))).toMatchInlineSnapshot(`
      "  ◆ Soup
        ├─○ Leek #best
        ├─○ Pea
        └─○ ? Ask first
          └─○ A very long title that goes on …
            └─○ 汤 red soup"
    `)
  })

  it('shows at least 24 cells of a title as long as anything else is shown', () => {
    const title = 'A title of thirty-two cells here'
    const long = withForks.map((row) => ({ ...row, title }))
    for (let columns = 44; columns < 140; columns++)
      for (const line of draw(columns, {}, long)) expect(line).toContain(title.slice(0, 23))
  })

  it('is exactly as wide as its place, whatever is in it', () => {
    for (const columns of [12, 24, 40, 61, 80, 200])
      for (const selected of [null, idOf(4), idOf(5)])
        for (const line of draw(columns, { selected })) expect(widthOf(line)).toBe(columns)
  })

  it('lets no escape sequence through', () => {
    const written = draw(100).join('\n')
    expect(written).not.toContain('\u001b[31m')
    expect(plain(draw(100))).toContain('汤 red soup')
  })

  it('is painted to its end when it is selected, also where it is cut', () => {
    const [line] = draw(40, { selected: idOf(4) }).filter((each) => each.includes('A very'))
    expect(line?.split('\u001b')).toHaveLength(3)
  })
})

describe('a picture of forks that nest deep', () => {
  const deep = linesOf(allFound(rowsOf(Array.from({ length: 60 }, (_, i) => i - 1))), nothingFolded)

  it('keeps its shape: lanes that all lines have are left out', () => {
    expect(plain(drawLines(deep.slice(50, 54), look(80)))).toMatchInlineSnapshot(`
      "  ┄                 └─○ S50                          branch  offline  1970-01-01
        ┄                   └─○ S51                        branch  offline  1970-01-01
        ┄                     └─○ S52                      branch  offline  1970-01-01
        ┄                       └─○ S53                    branch  offline  1970-01-01"
    `)
    expect(plain(drawLines(deep.slice(50, 58), look(40)))).toMatchInlineSnapshot(`
      "  ┄ └─○ S50           branch  1970-01-01
        ┄   └─○ S51         branch  1970-01-01
        ┄     └─○ S52       branch  1970-01-01
        ┄       └─○ S53     branch  1970-01-01
        ┄         └─○ S54   branch  1970-01-01
        ┄         └─○ S55   branch  1970-01-01
        ┄         └─○ S56   branch  1970-01-01
        ┄         └─○ S57   branch  1970-01-01"
    `)
  })

  it('leaves nothing out where there is room', () => {
    expect(plain(drawLines(deep.slice(3, 5), look(80)))).toMatch(/^ {6}└─○ S3 .*\n {8}└─○ S4 /)
  })
})

describe('the state of a session', () => {
  const [row] = rowsOf([-1])
  const words = (facts: Partial<TreeRow>, isAsked = false) => row && stateWords({ ...row, ...facts }, isAsked)

  it('is said in words', () => {
    const ended = { state: 'ended' } as const
    const background = { ...ended, kind: 'background' } as const
    expect(words({})).toBe('')
    expect(words({ state: 'running' })).toBe('running')
    expect(words({ state: 'running' }, true)).toBe('waiting for approval')
    expect(words({ state: 'seeding' })).toBe('getting context')
    expect(words({ fork: testFork() })).toBe('open')
    for (const outcome of ['saved', 'reported', 'discarded', 'failed'] as const)
      expect(words({ fork: testFork({ ...ended, outcome }) })).toBe(outcome)
    expect(words({ fork: testFork({ ...background, outcome: 'finished' }) })).toBe('finished')
    expect(words({ fork: testFork({ ...background, outcome: 'finished', reported: true }) })).toBe('reported')
    expect(words({ fork: testFork({ ...background, outcome: 'timed-out' }) })).toBe('timed out')
    expect(words({ fork: testFork({ kind: 'background' }) })).toBe('waits its turn')
    expect(words({ fork: testFork({ kind: 'background', began: 1 }) })).toBe('running')
  })
})
