// Which rows of a list are shown: the selected one always is.

export interface ListPlace {
  readonly selected: number
  readonly top: number
}

export type ListStep = 'up' | 'down' | 'pageUp' | 'pageDown' | 'first' | 'last'

export const listStart: ListPlace = { selected: 0, top: 0 }

/** Another row of `count`, of which `rows` are shown; up from the first is the last. */
export function stepped({ selected, top }: ListPlace, way: ListStep, count: number, rows: number): ListPlace {
  const last = Math.max(0, count - 1)
  const isPast = (way === 'up' && selected === 0) || (way === 'down' && selected >= last)
  const round = way === 'up' ? last : 0
  return shown({ selected: isPast ? round : stepFrom(selected, way, count, rows), top }, count, rows)
}

/** The same, with the selected row in sight. */
export function shown({ selected, top }: ListPlace, count: number, rows: number): ListPlace {
  const at = Math.max(0, Math.min(selected, count - 1))
  const highest = Math.max(0, count - rows)
  return { selected: at, top: Math.min(Math.max(Math.min(top, at), at - rows + 1, 0), highest) }
}

/** The place that a step leads to, of `count`; a page is so many. At either end one stays there. */
export function stepFrom(at: number, way: ListStep, count: number, page: number): number {
  const last = Math.max(0, count - 1)
  const to = { up: at - 1, down: at + 1, pageUp: at - page, pageDown: at + page, first: 0, last }
  return Math.max(0, Math.min(to[way], last))
}
