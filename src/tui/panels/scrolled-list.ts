// Which rows of a list are shown: the selected one always is.

export interface ListPlace {
  readonly selected: number
  readonly top: number
}

export type ListStep = 'up' | 'down' | 'pageUp' | 'pageDown' | 'first' | 'last'

export const listStart: ListPlace = { selected: 0, top: 0 }

/** Another row of `count`, of which `rows` are shown; up from the first is the last. */
export function stepped({ selected, top }: ListPlace, way: ListStep, count: number, rows: number): ListPlace {
  return shown({ selected: target(selected, way, count, rows), top }, count, rows)
}

/** The same, with the selected row in sight. */
export function shown({ selected, top }: ListPlace, count: number, rows: number): ListPlace {
  const at = Math.max(0, Math.min(selected, count - 1))
  const highest = Math.max(0, count - rows)
  return { selected: at, top: Math.min(Math.max(Math.min(top, at), at - rows + 1, 0), highest) }
}

function target(at: number, way: ListStep, count: number, rows: number): number {
  const last = Math.max(0, count - 1)
  switch (way) {
    case 'up':
      return at === 0 ? last : at - 1
    case 'down':
      return at >= last ? 0 : at + 1
    case 'pageUp':
      return Math.max(0, at - rows)
    case 'pageDown':
      return Math.min(last, at + rows)
    case 'first':
      return 0
    case 'last':
      return last
  }
}
