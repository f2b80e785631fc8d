import { expect, it } from 'vitest'
import { type Line, lengthOf, positionOf, rangesOf, sharedLength } from './line.ts'

const line: Line = [
  { sessionID: 'ses_root', last: 5 },
  { sessionID: 'ses_fork', last: 2 },
  { sessionID: 'ses_empty', last: 0 },
]

it('a line counts through the sessions that it goes through', () => {
  expect(lengthOf(line)).toBe(7)
  expect(positionOf(line, 'ses_fork', 1)).toBe(6)
  expect(positionOf(line, 'ses_root', 6)).toBeNull()
  expect(positionOf(line, 'ses_other', 1)).toBeNull()
})

it('positions are read as ranges of sessions', () => {
  expect(rangesOf(line, 4, 6)).toEqual([
    { sessionID: 'ses_root', from: 4, to: 5 },
    { sessionID: 'ses_fork', from: 1, to: 1 },
  ])
  expect(rangesOf(line, 0, 0)).toEqual([])
  expect(rangesOf(line, 8, 9)).toEqual([])
})

it('two lines share what comes before they part', () => {
  const sibling: Line = [
    { sessionID: 'ses_root', last: 3 },
    { sessionID: 'ses_sibling', last: 9 },
  ]
  expect(sharedLength(line, sibling)).toBe(3)
  expect(sharedLength(line, line)).toBe(7)
  expect(sharedLength(line, [{ sessionID: 'ses_other', last: 4 }])).toBe(0)
})
