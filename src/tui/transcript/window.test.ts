import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { count, seed } from '../../../test/support/size.ts'
import { linesPiece, type Piece } from './piece.ts'
import { atEnd, type Drawn, revealing, scrolled, type View, windowOf } from './window.ts'

interface Part {
  readonly key: string
  readonly pieces: readonly Piece[]
}

const transcript = fc
  .array(fc.array(fc.nat({ max: 6 }), { maxLength: 4 }), { maxLength: 12 })
  .map((heights): Drawn<Part> => {
    const entries = heights.map((pieces, i) => ({
      key: `entry${i}`,
      pieces: pieces.map((tall, p) =>
        linesPiece(p, ...Array.from({ length: tall }, (_, line) => `${i}.${p}.${line}`)),
      ),
    }))
    return { entries, piecesOf: ({ pieces }) => pieces }
  })

const all = ({ entries }: Drawn<Part>): readonly string[] =>
  entries.flatMap(({ pieces }) => pieces.flatMap(({ lines }) => lines))

const shown = (drawn: Drawn<Part>, view: View, height: number): readonly string[] =>
  windowOf(drawn, view, height).map(({ text }) => text)

const height = fc.integer({ min: 1, max: 12 })
const runs = { numRuns: count(3000, 200), seed: seed() }

describe('the window of a transcript', () => {
  it('shows lines that follow each other, as many as fit, wherever it is scrolled', () => {
    fc.assert(
      fc.property(
        transcript,
        height,
        fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 8 }),
        (drawn, rows, steps) => {
          const lines = all(drawn)
          let view = atEnd
          for (const step of steps) {
            view = scrolled(drawn, view, rows, step)
            const seen = shown(drawn, view, rows)
            const from = lines.indexOf(seen[0] ?? '')
            expect(seen).toEqual(lines.slice(Math.max(0, from), Math.max(0, from) + rows))
            expect(seen).toHaveLength(Math.min(rows, lines.length))
          }
        },
      ),
      runs,
    )
  })

  it('comes back when it is scrolled up and down again', () => {
    fc.assert(
      fc.property(transcript, height, fc.nat({ max: 30 }), fc.nat({ max: 10 }), (drawn, rows, first, by) => {
        const view = scrolled(drawn, atEnd, rows, -first)
        const room = all(drawn).indexOf(shown(drawn, view, rows)[0] ?? '')
        const step = Math.min(by, Math.max(0, room))
        const back = scrolled(drawn, scrolled(drawn, view, rows, -step), rows, step)
        expect(shown(drawn, back, rows)).toEqual(shown(drawn, view, rows))
      }),
      runs,
    )
  })

  it('moves by exactly so many lines, up to both ends', () => {
    fc.assert(
      fc.property(transcript, height, fc.nat({ max: 60 }), (drawn, rows, by) => {
        const lines = all(drawn)
        const last = Math.max(0, lines.length - rows)
        const top = lines.indexOf(shown(drawn, scrolled(drawn, atEnd, rows, -by), rows)[0] ?? '')
        expect(Math.max(0, top)).toBe(Math.max(0, last - by))
      }),
      runs,
    )
  })

  it('keeps its place while more comes below', () => {
    fc.assert(
      fc.property(transcript, height, fc.integer({ min: 1, max: 30 }), (drawn, rows, by) => {
        const view = scrolled(drawn, atEnd, rows, -by)
        fc.pre(view.kind === 'at')
        const more = { key: 'more', pieces: [linesPiece(0, 'new', 'newer')] }
        const grown = { ...drawn, entries: [...drawn.entries, more] }
        expect(shown(grown, view, rows)).toEqual(shown(drawn, view, rows))
      }),
      runs,
    )
  })

  it('shows all of what is revealed, or its beginning', () => {
    fc.assert(
      fc.property(transcript, height, fc.nat(), fc.nat({ max: 40 }), (drawn, rows, which, by) => {
        const seen = drawn.entries.filter(({ pieces }) => pieces.some(({ lines }) => lines.length > 0))
        const entry = seen[which % Math.max(1, seen.length)]
        fc.pre(entry !== undefined)
        const view = revealing(drawn, scrolled(drawn, atEnd, rows, -by), rows, entry?.key ?? '')
        const own = entry?.pieces.flatMap(({ lines }) => lines) ?? []
        expect(shown(drawn, view, rows).filter((line) => own.includes(line))).toEqual(own.slice(0, rows))
      }),
      runs,
    )
  })

  it('finds its place again in a message that is drawn with other pieces', () => {
    const entry = {
      key: 'a',
      pieces: [linesPiece(0, 'a'), linesPiece(100, 'b'), linesPiece(200, 'c', 'd', 'e', 'f')],
    }
    const other = {
      key: 'a',
      pieces: [linesPiece(0, 'a1', 'a2'), linesPiece(60, 'ab'), linesPiece(150, 'bc', 'd', 'e', 'f')],
    }
    const drawnOf = (only: Part): Drawn<Part> => ({ entries: [only], piecesOf: ({ pieces }) => pieces })
    const view = scrolled(drawnOf(entry), atEnd, 2, -3)
    expect(shown(drawnOf(entry), view, 2)).toEqual(['b', 'c'])
    expect(shown(drawnOf(other), view, 2)).toEqual(['ab', 'bc'])
  })
})
