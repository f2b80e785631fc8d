import { beside, type Contender, compare, whyOf } from './peers/compare.ts'
import { type Opened, openPeers } from './peers/open-peers.ts'
import type { Forks } from './peers/peer.ts'
import type { Group, Row } from './row.ts'

const sizes = [10, 100, 1_000, 10_000]
/** The most that bough may take, in time and on disk, for each one that another agent takes. */
const limit = 1
/** From so many messages on: a few are copied sooner than a row is synced to the disk, which others leave out. */
const limitedFrom = 1_000
const effort = { rounds: 40, atMost: 10_000 }
/** How many forks the disk is measured over, or as many as can be made in so many milliseconds. */
const manyForks = { count: 1_000, atMost: 3_000 }

export const peersForking: Group = {
  name: 'peer-fork',
  title: 'Fork at the head, beside other agents',
  async measure(directory) {
    const { opened, absent } = await openPeers(directory, (peer, own) => peer.fork(own, sizes))
    try {
      const rows: Row[] = []
      for (const messages of sizes) {
        const [own, ...others] = opened
        const contender = ({ name, it }: Opened<Forks>): Contender => ({
          name,
          work: () => it.fork(messages),
        })
        const what = `fork, ${messages.toLocaleString('en')} messages`
        rows.push(
          ...(await compare(
            what,
            [contender(own), ...others.map(contender)],
            effort,
            messages < limitedFrom ? null : limit,
          )),
        )
      }
      return [...rows, ...(await onDisk(opened)), ...absent]
    } finally {
      for (const { it } of opened) await it.close()
    }
  },
}

async function onDisk([own, ...others]: readonly [Opened<Forks>, ...(readonly Opened<Forks>[])]): Promise<
  readonly Row[]
> {
  const messages = sizes.at(-1) ?? 0
  const what = `disk per fork, ${messages.toLocaleString('en')} messages`
  const unit = 'bytes'
  const measured = await bytesPerFork(own.it, messages)
  if (others.length === 0) return [{ kind: 'fact', what, unit, measured }]
  const rows: Row[] = []
  for (const { name, it } of others) {
    const theirs = await bytesPerFork(it, messages).catch(whyOf)
    rows.push(
      typeof theirs === 'string'
        ? { kind: 'absent', what: `${what}, ${name}`, why: theirs }
        : beside({ what, unit, measured, baseline: { what: name, measured: theirs } }, limit),
    )
  }
  return rows
}

async function bytesPerFork(forks: Forks, messages: number): Promise<number> {
  const before = await forks.size()
  const begun = performance.now()
  let made = 0
  while (made === 0 || (made < manyForks.count && performance.now() - begun < manyForks.atMost)) {
    await forks.fork(messages)
    made++
  }
  return ((await forks.size()) - before) / made
}
