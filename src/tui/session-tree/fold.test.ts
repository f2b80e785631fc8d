import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SessionID } from '../../tree/ids.ts'
import { linesOf, nothingFolded } from './fold.ts'
import { allFound, idOf, parentLists, rowsOf } from './testing/forest.ts'

const always = (): boolean => true

/** Sessions by place in a list, with some that are folded. */
const folds = parentLists.chain((parents) =>
  fc.tuple(fc.constant(parents), fc.subarray(parents.map((_, i) => i))),
)

describe('folding', () => {
  it('hides exactly the descendants of what is folded', () => {
    fc.assert(
      fc.property(folds, ([parents, some]) => {
        const folded = new Set(some.map(idOf))
        const isHidden = (i: number): boolean => {
          const parent = parents[i] ?? -1
          return parent !== -1 && (folded.has(idOf(parent)) || isHidden(parent))
        }
        const lines = linesOf(allFound(rowsOf(parents)), { folded, opened: new Set() })
        const wanted = parents.flatMap((_, i) => (isHidden(i) ? [] : [idOf(i)]))
        expect(lines.map(({ key }) => key).toSorted()).toEqual(wanted)
        const hidden = lines.reduce((sum, line) => sum + line.hidden, 0)
        expect(hidden + lines.length).toBe(parents.length)
      }),
    )
  })

  it('leaves every session within reach: it is shown, or counted where it is folded', () => {
    fc.assert(
      fc.property(folds, ([parents, some]) => {
        const folding = { folded: new Set(some.map(idOf)), opened: new Set<SessionID>() }
        const lines = linesOf(allFound(rowsOf(parents)), folding, always)
        const shown = lines.filter(({ kind }) => kind === 'session').length
        expect(lines.reduce((sum, { hidden }) => sum + hidden, shown)).toBe(parents.length)
        expect(new Set(lines.map(({ key }) => key)).size).toBe(lines.length)
      }),
    )
  })

  it('shows every session once all that is folded is unfolded and every run is opened', () => {
    fc.assert(
      fc.property(parentLists, (parents) => {
        const kept = allFound(rowsOf(parents))
        let opened = new Set<SessionID>()
        for (;;) {
          const lines = linesOf(kept, { folded: new Set(), opened }, always)
          const runs = lines.filter(({ kind }) => kind === 'run').map(({ key }) => key)
          if (runs.length === 0) {
            expect(lines.map(({ key }) => key).toSorted()).toEqual(parents.map((_, i) => idOf(i)))
            return
          }
          expect(runs.filter((key) => opened.has(key))).toEqual([])
          opened = new Set([...opened, ...runs])
        }
      }),
    )
  })
})

describe('unforked runs', () => {
  const chain = allFound(rowsOf([-1, 0, 1, 2, 3, 4, 4]))
  const keys = (isDull: (title: string) => boolean, opened: readonly number[] = []) =>
    linesOf(chain, { folded: new Set(), opened: new Set(opened.map(idOf)) }, ({ title }) =>
      isDull(title),
    ).map((line) => (line.kind === 'run' ? `${line.hidden} in a row` : line.row.title))

  it('are one line: what is between a beginning and the next fork', () => {
    expect(keys(always)).toEqual(['S0', '3 in a row', 'S4', 'S5', 'S6'])
  })

  it('are shown one by one once they are opened', () => {
    expect(keys(always, [1])).toEqual(['S0', 'S1', 'S2', 'S3', 'S4', 'S5', 'S6'])
  })

  it('do not hide a session where something goes on, nor a single one', () => {
    expect(keys((title) => title !== 'S2')).toEqual(['S0', 'S1', 'S2', 'S3', 'S4', 'S5', 'S6'])
    expect(keys((title) => title !== 'S3')).toEqual(['S0', '2 in a row', 'S3', 'S4', 'S5', 'S6'])
  })

  it('are not made of what is folded', () => {
    const lines = linesOf(chain, { ...nothingFolded, folded: new Set([idOf(2)]) }, always)
    expect(lines.map(({ key, hidden }) => [key, hidden])).toEqual([
      [idOf(0), 0],
      [idOf(1), 0],
      [idOf(2), 4],
    ])
  })
})
