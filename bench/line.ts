import { openBundled } from './bundle.ts'
import { MadeUpTree } from './made-up-tree.ts'
import type { Group } from './row.ts'
import { interleave, Subject } from './subject.ts'

const limit = 50
const depth = 1000

export const reading: Group = {
  name: 'line',
  title: `The last ${limit} messages of a line`,
  async measure(directory) {
    const tree = await MadeUpTree.open(directory)
    const long = await tree.session(100_000)
    // One message each, so that the page goes through as many sessions as it can.
    let nested = await tree.session(1)
    for (let made = 0; made < depth; made++) nested = await tree.session(1, nested)
    await tree.close()

    const bough = await openBundled(directory)
    const ofLong = new Subject('of 100,000 messages', () => bough.messages(long.id, { limit }))
    const ofNested = new Subject('through 1,000 nested forks', () => bough.messages(nested.id, { limit }))
    await interleave([ofLong, ofNested], 200)
    await bough.close()

    return [
      { kind: 'bound', ...ofLong.result, limit: 5 },
      { kind: 'bound', ...ofNested.result, limit: 20 },
    ]
  },
}
