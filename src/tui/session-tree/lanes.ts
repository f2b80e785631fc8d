// Sessions as a tree with lanes, the oldest on top:
//
//   ◇ Soup              a tree begins
//   ├─○ Leek            its forks stand to the right, each in the lane of what it was forked from
//   │ └─○ Leek, again   the last one ends the lane
//   └─○ Soup, again
//
// Forks nest thousands deep. A line knows only what it hangs from, so that drawing one looks no further up than there is room.

/** Where a session stands among others: by the place of each in the list that this was made of. */
export interface Graph {
  /** -1 for one that begins a tree. */
  readonly parents: readonly number[]
  /** The one with the most below it comes last, so that lanes are short; the others as they came. Only of those that have some. */
  readonly children: ReadonlyMap<number, readonly number[]>
  readonly roots: readonly number[]
}

/** How a fork hangs: whether it is the last of its siblings, and how that hangs which it was forked from; null for a root. */
export interface Hanging {
  readonly isLast: boolean
  readonly from: Hanging | null
  /** 1 for a fork of what begins a tree. */
  readonly depth: number
}

export const hang = (isLast: boolean, from: Hanging | null): Hanging => ({
  isLast,
  from,
  depth: (from?.depth ?? 0) + 1,
})

/** How many lanes of all these lines are left out at the left, so that they keep their shape where they have no room. */
export function leftOut(all: readonly (Hanging | null)[], mostLanes: number): number {
  const depths = all.map((hanging) => hanging?.depth ?? 0)
  return Math.max(0, Math.min(Math.min(...depths) - 2, Math.max(...depths) - mostLanes))
}

/** The graph of rows that come depth first, by how deep each is. */
export function graphOf(rows: readonly { readonly depth: number }[]): Graph {
  const parents: number[] = []
  const children = new Map<number, number[]>()
  const roots: number[] = []
  const above: number[] = []
  rows.forEach(({ depth }, i) => {
    above.length = Math.min(depth, above.length)
    const parent = above.at(-1) ?? -1
    parents.push(parent)
    above.push(i)
    const siblings = parent === -1 ? roots : children.get(parent)
    if (siblings) siblings.push(i)
    else children.set(parent, [i])
  })
  const sizes = sizesOf(parents)
  for (const siblings of children.values()) putHeaviestLast(siblings, sizes)
  return { parents, children, roots }
}

/** What is drawn before a session: two cells for each lane but those left out, at most so many of them, and its own mark. */
export function prefixOf(hanging: Hanging | null, mark: string, most: number, left = 0): string {
  if (hanging === null) return mark
  const mostLanes = Math.min(most, hanging.depth - left)
  let lanes = ''
  let shown = 1
  let from = hanging.from
  for (; from && shown < mostLanes; from = from.from) {
    lanes = `${from.isLast ? '  ' : '│ '}${lanes}`
    shown += 1
  }
  // What is further left has no room: the nearest lanes say more.
  if (from && lanes !== '') lanes = `┄ ${lanes.slice(2)}`
  return `${lanes}${hanging.isLast ? '└─' : '├─'}${mark}`
}

// From the last one up: what is below a row comes after it.
function sizesOf(parents: readonly number[]): readonly number[] {
  const sizes = parents.map(() => 1)
  for (let i = parents.length - 1; i >= 0; i--) {
    const parent = parents[i] ?? -1
    if (parent >= 0) sizes[parent] = (sizes[parent] ?? 1) + (sizes[i] ?? 1)
  }
  return sizes
}

function putHeaviestLast(children: number[], sizes: readonly number[]): void {
  if (children.length < 2) return
  const sizeOf = (each: number): number => sizes[each] ?? 1
  const heaviest = children.reduce((best, each) => (sizeOf(each) >= sizeOf(best) ? each : best))
  children.splice(children.indexOf(heaviest), 1)
  children.push(heaviest)
}
