import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seed } from '../../../test/support/size.ts'
import { aside, cutTo, limits } from './limits.ts'

describe('a text that has to fit', () => {
  it('stays as it is when it does', () => {
    expect(cutTo('herons', 6)).toBe('herons')
    expect(cutTo('', 1)).toBe('')
  })

  it('ends in … when it does not', () => {
    expect(cutTo('herons', 5)).toBe('hero…')
  })

  it('is never cut inside a character', () => {
    expect(cutTo('a🙂🙂', 4)).toBe('a🙂…')
    expect(cutTo('a🙂🙂', 3)).toBe('a…')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 30 }), (text, most) => {
        const cut = cutTo(text, most)
        expect(cut.length).toBeLessThanOrEqual(most)
        expect(cut.isWellFormed()).toBe(text.isWellFormed())
        expect(text.startsWith(cut.replace(/…$/, '')) || cut === text).toBe(true)
      }),
      { seed: seed() },
    )
  })
})

describe("bough's own words", () => {
  it('are small, line by line, without empty lines', () => {
    expect(aside('one\n\n \ntwo')).toBe('-# one\n-# two')
  })

  it('show what they name letter for letter, but for addresses', () => {
    expect(aside('“mend __init__.py” failed: *.ts, ```')).toBe(
      '-# “mend \\_\\_init\\_\\_.py” failed: \\*.ts, \\`\\`\\`',
    )
    expect(aside('see https://a.test/__x__ for a_b')).toBe('-# see https://a.test/__x__ for a\\_b')
  })

  it('fit into a message with their signs, however many lines they have', () => {
    expect(aside('x\n'.repeat(2000)).length).toBeLessThanOrEqual(limits.aside)
    expect(aside('x'.repeat(5000))).toHaveLength(limits.aside)
  })
})
