import { type Contender, compare } from './peers/compare.ts'
import { type Opened, openPeers } from './peers/open-peers.ts'
import type { ColdStart } from './peers/peer.ts'
import type { Group } from './row.ts'

const effort = { rounds: 10, atMost: 30_000 }

/** For information: Claude Code and Codex are native programs, which no program on Node can start as fast as. */
export const peersStarting: Group = {
  name: 'peer-start',
  title: 'Cold start, beside other agents',
  async measure(directory) {
    const { opened, absent } = await openPeers(directory, (peer, own) => peer.coldStart(own))
    return [
      ...(await compare('--version', contenders(opened, 'version'), effort, null)),
      ...(await compare('start to the first answer', contenders(opened, 'ready'), effort, null)),
      ...absent,
    ]
  },
}

function contenders(
  [own, ...others]: readonly [Opened<ColdStart>, ...(readonly Opened<ColdStart>[])],
  what: keyof ColdStart,
): readonly [Contender, ...(readonly Contender[])] {
  const contender = ({ name, it }: Opened<ColdStart>): Contender => ({ name, work: it[what] })
  return [contender(own), ...others.map(contender)]
}
