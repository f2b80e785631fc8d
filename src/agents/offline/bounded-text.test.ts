import fc from 'fast-check'
import { expect, test } from 'vitest'
import { count, seed } from '../../../test/support/size.ts'
import { BoundedText } from './bounded-text.ts'

const bounded = (...pieces: readonly string[]): string => {
  const text = new BoundedText()
  for (const piece of pieces) text.add(piece)
  return text.toString()
}

test('text within the limit is kept whole', () => {
  expect(bounded('a'.repeat(50_000), 'b'.repeat(50_000))).toBe('a'.repeat(50_000) + 'b'.repeat(50_000))
})

test('of longer text the beginning and the end are kept, with a line that says how much was left out', () => {
  expect(bounded('a'.repeat(60_000), 'x'.repeat(7), 'b'.repeat(50_000))).toBe(
    `${'a'.repeat(50_000)}\n[… 10007 characters left out …]\n${'b'.repeat(50_000)}`,
  )
})

test('no character is cut in half', () => {
  const cut = bounded(`a${'🌳'.repeat(80_000)}b`)
  expect(cut.isWellFormed()).toBe(true)
  expect(cut).toContain('🌳\n[… ')
  expect(cut).toContain(' …]\n🌳')
})

test('the pieces that text arrives in make no difference', () => {
  const piece = fc.tuple(fc.constantFrom('a', '🌳', 'é\n'), fc.integer({ min: 0, max: 40_000 }))
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const texts = pieces.map(([text, count]) => text.repeat(count))
      expect(bounded(...texts)).toBe(bounded(texts.join('')))
    }),
    { numRuns: count(1000, 30), seed: seed() },
  )
})
