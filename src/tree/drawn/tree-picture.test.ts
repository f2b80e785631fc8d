import { describe, expect, it } from 'vitest'
import { cellsOf } from './cells.ts'
import { testFork, testRow } from './test-session.ts'
import { drawTree } from './tree-picture.ts'

const plain = { now: 180_000, columns: null, paint: (_style: unknown, text: string) => text }
const picture = (...args: Parameters<typeof drawTree>): string => drawTree(...args).join('\n')

describe('a drawn tree', () => {
  it('shows who was forked from whom', () => {
    const rows = [
      testRow('aaaaaa', 0, { title: 'Plan the dinner', messages: 14 }),
      testRow('bbbbbb', 1, { title: 'Vegan?' }),
      testRow('cccccc', 2, { title: 'No nuts', messages: 1 }),
      testRow('dddddd', 2, { title: 'More nuts', updated: 180_000 }),
      testRow('eeeeee', 1, { title: 'A picnic', agent: 'codex' }),
      testRow('ffffff', 2, { title: 'With rain' }),
      testRow('gggggg', 0, { title: 'Something else' }),
    ]
    expect(picture(rows, plain)).toBe(
      `
Plan the dinner  aaaaaa · offline · 14 messages · 3 min ago
├─ Vegan?  bbbbbb · offline · 2 messages · 3 min ago
│  ├─ No nuts  cccccc · offline · 1 message · 3 min ago
│  └─ More nuts  dddddd · offline · 2 messages · now
└─ A picnic  eeeeee · codex · 2 messages · 3 min ago
   └─ With rain  ffffff · offline · 2 messages · 3 min ago
Something else  gggggg · offline · 2 messages · 3 min ago
`.trim(),
    )
  })

  it('marks what runs, what is deleted, and where one is', () => {
    const rows = [
      testRow('aaaaaa', 0, { deleted: true, title: 'Secret' }),
      testRow('bbbbbb', 1, { state: 'running' }),
      testRow('cccccc', 1),
    ]
    expect(picture(rows, { ...plain, currentID: rows[2]?.id ?? '' })).toBe(
      `
(deleted)  aaaaaa · deleted
├─ Title bbbbbb  bbbbbb · offline · 2 messages · running
└─ ● Title cccccc  cccccc · offline · 2 messages · 3 min ago
`.trim(),
    )
  })

  it('marks what is archived', () => {
    expect(picture([testRow('aaaaaa', 0, { archived: true }), testRow('bbbbbb', 1)], plain)).toBe(
      `
Title aaaaaa  aaaaaa · archived · offline · 2 messages · 3 min ago
└─ Title bbbbbb  bbbbbb · offline · 2 messages · 3 min ago
`.trim(),
    )
  })

  it('says which session is main, and how it goes with the forks that come back', () => {
    const run = testFork({ kind: 'background', began: 1, state: 'ended', outcome: 'finished' })
    const rows = [
      testRow('aaaaaa', 0),
      testRow('bbbbbb', 1, { isMain: true, fork: testFork({ state: 'ended', outcome: 'saved' }) }),
      testRow('cccccc', 2, { fork: { ...run, reported: true, pinged: true } }),
      testRow('dddddd', 2, { fork: testFork() }),
      testRow('eeeeee', 0, { isMain: true }),
    ]
    expect(picture(rows, plain)).toBe(
      `
Title aaaaaa  aaaaaa · offline · 2 messages · 3 min ago
└─ Title bbbbbb  bbbbbb · main, fork saved · offline · 2 messages · 3 min ago
   ├─ Title cccccc  cccccc · background run: reported, pinged · offline · 2 messages · 3 min ago
   └─ Title dddddd  dddddd · interactive fork, open · offline · 2 messages · 3 min ago
Title eeeeee  eeeeee · offline · 2 messages · 3 min ago
`.trim(),
    )
  })

  it('fits the terminal, wide characters too', () => {
    const rows = [
      testRow('aaaaaa', 0, { title: '世界'.repeat(40), state: 'running' }),
      testRow('bbbbbb', 1, { title: 'x'.repeat(200) }),
    ]
    for (const line of drawTree(rows, { ...plain, columns: 70 }))
      expect(cellsOf(line)).toBeLessThanOrEqual(70)
    expect(picture(rows, { ...plain, columns: 70 })).toContain('└─ xxx')
  })

  it('takes no title for a command to the terminal', () => {
    expect(picture([testRow('aaaaaa', 0, { title: 'a\x1b]52;c;eA==\x07b\nc' })], plain)).toMatch(
      /^ab c {2}aaaaaa/,
    )
  })

  it('stays within bounds however deep forks nest', () => {
    const rows = Array.from({ length: 5000 }, (_, depth) => testRow(String(depth), depth))
    const lines = drawTree(rows, { ...plain, columns: 80 })
    expect(lines).toHaveLength(5000)
    for (const line of lines) expect(cellsOf(line)).toBeLessThanOrEqual(80)
    expect(lines[4999]).toContain('… depth 4999 Title 4999')
    expect(lines[1]).toMatch(/^└─ Title 1 /)
  })

  it('keeps the lines of siblings open past a deep one', () => {
    const rows = [testRow('a', 0), testRow('b', 1), testRow('c', 2), testRow('d', 3), testRow('e', 1)]
    expect(drawTree(rows, plain).map((line) => line.replace(/Title.*/, ''))).toEqual([
      '',
      '├─ ',
      '│  └─ ',
      '│     └─ ',
      '└─ ',
    ])
  })

  it('cuts a very long title where no terminal is, and where one is only what does not fit', () => {
    const rows = [testRow('aaaaaa', 0, { title: 'x'.repeat(5_000) })]
    expect(cellsOf(drawTree(rows, plain)[0] ?? '')).toBeLessThan(140)
    const fits = [testRow('aaaaaa', 0, { title: 'x'.repeat(100) })]
    expect(drawTree(fits, { ...plain, columns: 200 })[0]).toContain('x'.repeat(100))
  })
})
