/** The most that the server gives at once. */
const page = 1000

/** Reads page after page, until there is no more or as many as are wanted. */
export async function paged<T extends { readonly id: string }>(
  limit: number | undefined,
  read: (limit: number, before: T['id'] | undefined) => Promise<readonly T[]>,
  edge: (items: readonly T[]) => T | undefined,
): Promise<readonly (readonly T[])[]> {
  const pages: (readonly T[])[] = []
  let left = limit ?? Number.POSITIVE_INFINITY
  let before: T['id'] | undefined
  while (left > 0) {
    const wanted = Math.min(left, page)
    const items = await read(wanted, before)
    pages.push(items)
    before = edge(items)?.id
    left -= items.length
    if (items.length < wanted || before === undefined) break
  }
  return pages
}
