import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TreeRow } from '../../tree/forest.ts'
import { isLooking, keptRows, nextAgent, nextKind, noWish, type TreeWish } from './filter.ts'
import { projectsOf } from './project.ts'
import { searchWords } from './row-words.ts'
import { idOf, parentLists, rowsOf } from './testing/forest.ts'

function kept(rows: readonly TreeRow[], wish: Partial<TreeWish>) {
  const projects = projectsOf(rows)
  return keptRows(
    rows,
    { ...noWish, ...wish },
    {
      projectOf: ({ id }) => projects.get(id) ?? '',
      wordsOf: (row) => searchWords(row, false),
    },
  )
}

const titles = (rows: readonly TreeRow[], wish: Partial<TreeWish>): readonly string[] =>
  kept(rows, wish).map(({ row, isFound }) => (isFound ? row.title : `(${row.title})`))

describe('what is shown of the session tree', () => {
  it('is what is looked for, with what leads to it and nothing else', () => {
    const found = fc.tuple(parentLists, fc.infiniteStream(fc.boolean()))
    fc.assert(
      fc.property(found, ([parents, stream]) => {
        const isCodex = parents.map(() => stream.next().value)
        const rows = rowsOf(parents, (i) => ({ agent: isCodex[i] ? 'codex' : 'claude' }))
        const leadsTo = new Set<number>()
        for (const [i, codex] of isCodex.entries())
          for (let at = i; codex && at !== -1; at = parents[at] ?? -1) leadsTo.add(at)
        const shown = kept(rows, { agent: 'codex' })
        expect(shown.map(({ row }) => row.id)).toEqual(
          rows.map(({ id }) => id).filter((id) => [...leadsTo].some((i) => idOf(i) === id)),
        )
        expect(shown.filter(({ isFound }) => isFound).length).toBe(isCodex.filter(Boolean).length)
      }),
    )
  })

  it('is found by the beginning of its id, and by no letters in the middle of it', () => {
    const rows = rowsOf([-1, -1], (i) => ({ title: ['Soup', 'Leek'][i] ?? '' }))
    const [soup, leek] = rows.map((row, i) => ({ ...row, id: `ses_01kcpeatea${i}7vwms${i}` as const }))
    if (!soup || !leek) throw new Error('no rows')
    expect(titles([soup, leek], { text: 'pea' })).toEqual([])
    expect(titles([soup, leek], { text: 'ses_01kcpeatea1' })).toEqual(['Leek'])
    expect(titles([soup, leek], { text: '7vwms0' })).toEqual(['Soup'])
    expect(titles([soup, leek], { text: 'vwms' })).toEqual([])
  })

  it('is found by kind, by agent, and by words in its title, labels and state', () => {
    const rows = rowsOf([-1, 0, 0, 1], (i) => ({
      title: ['Soup', 'Leek soup', 'Pea', 'Cold leek'][i] ?? '',
      kind: i === 3 ? 'background' : i === 0 ? 'root' : 'branch',
      agent: i === 2 ? 'codex' : 'claude',
      labels: i === 2 ? ['Urgent'] : [],
      state: i === 1 ? 'running' : 'idle',
    }))
    expect(titles(rows, { kind: 'background' })).toEqual(['(Soup)', '(Leek soup)', 'Cold leek'])
    expect(titles(rows, { agent: 'codex' })).toEqual(['(Soup)', 'Pea'])
    expect(titles(rows, { text: 'LEEK' })).toEqual(['(Soup)', 'Leek soup', 'Cold leek'])
    expect(titles(rows, { text: 'leek cold' })).toEqual(['(Soup)', '(Leek soup)', 'Cold leek'])
    expect(titles(rows, { text: 'urgent' })).toEqual(['(Soup)', 'Pea'])
    expect(titles(rows, { text: 'running' })).toEqual(['(Soup)', 'Leek soup'])
    expect(titles(rows, { text: 'nothing' })).toEqual([])
    expect(isLooking({ ...noWish, text: '  ' })).toBe(false)
  })

  it('leaves out what is archived or deleted, but not what leads to others', () => {
    const rows = rowsOf([-1, 0, 1, 0, -1], (i) => ({
      archived: i === 1 || i === 3 || i === 4,
      deleted: i === 0,
    }))
    expect(titles(rows, {})).toEqual(['(S0)', '(S1)', 'S2'])
    expect(titles(rows, { archived: true })).toEqual(['(S0)', 'S1', 'S2', 'S3', 'S4'])
  })

  it('is of one project: a directory, and the worktrees made from it', () => {
    const places = ['/soup', '/trees/1', '/trees/1', '/other', '/trees/1', '/trees/2']
    const rows = rowsOf([-1, 0, 1, -1, -1, 4], (i) => ({
      directory: places[i] ?? '',
      workspaceID: [1, 2, 5].includes(i) ? `wsp_${i}` : null,
    }))
    expect(titles(rows, { project: '/soup' })).toEqual(['S0', 'S1', 'S2', 'S4', 'S5'])
    expect(titles(rows, { project: '/other' })).toEqual(['S3'])
    expect(titles(rows, { project: null })).toHaveLength(6)
  })

  it('goes on to the next kind or agent, and after the last to all', () => {
    const kinds = [nextKind(null), nextKind('root'), nextKind('interactive'), nextKind('background')]
    expect(kinds).toEqual(['root', 'branch', 'background', null])
    expect([nextAgent(['a', 'b'], null), nextAgent(['a', 'b'], 'b'), nextAgent(['a'], 'gone')]).toEqual([
      'a',
      null,
      null,
    ])
  })
})
