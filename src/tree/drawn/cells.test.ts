import { describe, expect, it } from 'vitest'
import { cellsOf, cutToCells, padToCells } from './cells.ts'

describe('the width of a text', () => {
  it.each([
    ['', 0],
    ['bough', 5],
    ['Grüße', 5],
    ['e\u0301', 1],
    ['世界', 4],
    ['한국', 4],
    ['👩‍🍳', 2],
    ['❤️', 2],
    ['a\u200bb', 2],
  ])('of %j is %i cells', (text, cells) => {
    expect(cellsOf(text)).toBe(cells)
  })
})

describe('a text that is too wide', () => {
  it.each([
    ['branching', 5, 'bran…'],
    ['branching', 9, 'branching'],
    ['世界世界', 5, '世界…'],
    ['世界世界', 4, '世…'],
    ['a👩‍🍳b', 3, 'a…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ])('is cut between characters: %j to %i', (text, cells, cut) => {
    expect(cutToCells(text, cells)).toBe(cut)
  })

  it('is never wider than asked for', () => {
    for (let cells = 0; cells < 20; cells++)
      expect(cellsOf(cutToCells('ab世界 👩‍🍳 e\u0301 longer', cells))).toBeLessThanOrEqual(cells)
  })
})

it('padding counts cells, so that columns stand under each other', () => {
  expect(padToCells('世', 4)).toBe('世  ')
})
