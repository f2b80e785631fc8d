import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ScrolledLines } from './scrolled-lines.ts'

const linesOf = (counts: readonly number[]): readonly string[] =>
  counts.flatMap((count, i) => Array.from({ length: count }, (_, line) => `${i}.${line}`))

const scrolled = (counts: readonly number[], drawn: number[] = []) =>
  new ScrolledLines(
    counts.map((count, i) => [count, i] as const),
    ([count, i]) => {
      drawn.push(i)
      return Array.from({ length: count }, (_, line) => `${i}.${line}`)
    },
  )

describe('lines that scroll', () => {
  it('are drawn only where somebody looks, and once', () => {
    const drawn: number[] = []
    const lines = scrolled([1, 2, 3, 0, 4, 5, 6], drawn)
    expect(lines.draw(3)).toEqual(['0.0', '1.0', '1.1'])
    expect(drawn).toEqual([0, 1])
    lines.toEnd()
    expect(lines.draw(2)).toEqual(['6.4', '6.5'])
    expect(drawn).toEqual([0, 1, 6])
    lines.toItem(1)
    expect(lines.draw(3)).toEqual(['1.0', '1.1', '2.0'])
    expect(drawn).toEqual([0, 1, 6, 2])
  })

  it('are those of a window that never leaves them, however it is moved', () => {
    const moves = fc.array(fc.integer({ min: -12, max: 12 }), { maxLength: 12 })
    const counts = fc.array(fc.nat({ max: 5 }), { maxLength: 12 })
    fc.assert(
      fc.property(counts, moves, fc.integer({ min: 1, max: 8 }), (counts, moves, rows) => {
        const all = linesOf(counts)
        const window = scrolled(counts)
        let top = 0
        for (const move of moves) {
          window.moveBy(move)
          top = Math.max(0, Math.min(top + move, all.length - rows))
          expect(window.draw(rows)).toEqual(all.slice(top, top + rows))
        }
        window.toEnd()
        expect(window.draw(rows)).toEqual(all.slice(Math.max(0, all.length - rows)))
      }),
    )
  })
})
