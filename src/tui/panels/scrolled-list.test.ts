import { describe, expect, it } from 'vitest'
import { type ListStep, stepFrom, stepped } from './scrolled-list.ts'

const ways: readonly ListStep[] = ['up', 'down', 'pageUp', 'pageDown', 'first', 'last']

describe('a step in a list', () => {
  it('leads to another place, and stays at either end', () => {
    expect(ways.map((way) => stepFrom(5, way, 20, 10))).toEqual([4, 6, 0, 15, 0, 19])
    expect(ways.map((way) => stepFrom(0, way, 1, 10))).toEqual([0, 0, 0, 0, 0, 0])
    expect(ways.map((way) => stepFrom(0, way, 0, 10))).toEqual([0, 0, 0, 0, 0, 0])
  })

  it('goes round in a list to choose from, but a page does not', () => {
    const from = (selected: number, way: ListStep) => stepped({ selected, top: 0 }, way, 20, 10).selected
    expect([from(0, 'up'), from(19, 'down'), from(0, 'pageUp'), from(19, 'pageDown')]).toEqual([19, 0, 0, 19])
  })
})
