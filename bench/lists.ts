import { openBundled } from './bundle.ts'
import { type MadeUpSession, MadeUpTree } from './made-up-tree.ts'
import type { Group } from './row.ts'
import { interleave, Subject } from './subject.ts'

const families = 1000
const perFamily = 10

/** How many sessions `makeFamilies` makes. */
export const allSessions = families * perFamily

export const listing: Group = {
  name: 'lists',
  title: 'Lists of 10,000 sessions',
  async measure(directory) {
    const tree = await MadeUpTree.open(directory)
    await makeFamilies(tree)
    await tree.close()

    const bough = await openBundled(directory)
    const page = new Subject('first page of 50', () => bough.sessions({ limit: 50 }))
    const forest = new Subject('the whole tree', () => bough.tree())
    await interleave([page, forest], 50)
    await bough.close()

    return [
      { kind: 'bound', ...page.result, limit: 10 },
      { kind: 'bound', ...forest.result, limit: 100 },
    ]
  },
}

/** Ten thousand sessions, in trees. */
export async function makeFamilies(tree: MadeUpTree): Promise<void> {
  for (let made = 0; made < families; made++) await makeFamily(tree)
}

/** A root and its forks, two of each session, three deep. */
async function makeFamily(tree: MadeUpTree): Promise<void> {
  const family: MadeUpSession[] = [await tree.session(2)]
  for (let i = 1; i < perFamily; i++) family.push(await tree.session(2, family[Math.floor((i - 1) / 2)]))
}
