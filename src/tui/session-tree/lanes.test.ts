import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { widthOf } from '../screen/frame.ts'
import { linesOf, nothingFolded, type TreeLine } from './fold.ts'
import { prefixOf } from './lanes.ts'
import { allFound, parentLists, rowsOf } from './testing/forest.ts'

const pictureOf = (parents: readonly number[]): string =>
  linesOf(allFound(rowsOf(parents)), nothingFolded)
    .map((line) => `${prefixOf(line.hanging, line.hanging ? '○' : '◇', 9)} ${nameOf(line)}`)
    .join('\n')

const nameOf = (line: TreeLine): string =>
  line.kind === 'session' ? line.row.title : `${line.hidden} in a row`

function laneOf({ hanging }: TreeLine): number {
  let lane = 0
  for (let at = hanging; at; at = at.from) lane += 1
  return lane
}

describe('the lanes of the session tree', () => {
  it('lead from each session to its forks, and end with the last', () => {
    expect(pictureOf([-1, 0, 1, 1, 0, 4, 5, -1, 7])).toMatchInlineSnapshot(`
      "◇ S0
      ├─○ S1
      │ ├─○ S2
      │ └─○ S3
      └─○ S4
        └─○ S5
          └─○ S6
      ◇ S7
      └─○ S8"
    `)
  })

  it('are drawn as far as there is room: the nearest', () => {
    const chain = Array.from({ length: 5000 }, (_, i) => i - 1)
    const lines = linesOf(allFound(rowsOf(chain)), nothingFolded)
    expect(lines).toHaveLength(5000)
    expect(prefixOf(lines.at(-1)?.hanging ?? null, '○', 4)).toBe('┄     └─○')
    expect(prefixOf(lines[2]?.hanging ?? null, '○', 4)).toBe('  └─○')
  })

  it('go without a gap from a session to each of its forks', () => {
    fc.assert(
      fc.property(parentLists, (parents) => {
        const lines = linesOf(allFound(rowsOf(parents)), nothingFolded)
        const places = new Map(lines.map(({ key }, i) => [key, i]))
        const drawn = lines.map(({ hanging }) => prefixOf(hanging, '○', 1000))
        for (const [i, line] of lines.entries()) {
          const parentID = line.kind === 'session' ? line.row.parentID : null
          if (parentID === null) {
            expect(line.hanging).toBe(null)
            continue
          }
          const at = places.get(parentID) ?? -1
          const parent = lines[at]
          const lane = parent ? laneOf(parent) : -1
          expect(at).toBeGreaterThanOrEqual(0)
          expect(at).toBeLessThan(i)
          expect(laneOf(line)).toBe(lane + 1)
          expect(drawn[i]?.slice(2 * lane)).toMatch(/^[├└]─○$/)
          for (const between of drawn.slice(at + 1, i)) expect(between[2 * lane]).toMatch(/[│├]/)
        }
      }),
    )
  })

  it('take two cells each, and the mark one', () => {
    fc.assert(
      fc.property(parentLists, fc.integer({ min: 1, max: 6 }), (parents, most) => {
        for (const line of linesOf(allFound(rowsOf(parents)), nothingFolded))
          expect(widthOf(prefixOf(line.hanging, '○', most))).toBe(2 * Math.min(laneOf(line), most) + 1)
      }),
    )
  })
})
