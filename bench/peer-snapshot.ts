import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { makeProject } from './made-up-project.ts'
import { takeTurns } from './peers/compare.ts'
import { type Opened, openPeers } from './peers/open-peers.ts'
import type { Snapshots } from './peers/peer.ts'
import type { Absent, Group, Row } from './row.ts'
import { Subject } from './subject.ts'

const files = 10_000
const effort = { rounds: 15, atMost: 60_000 }

/** For information: what is kept differs. Of a turn in which one file changes, what it takes longer for the snapshots. */
export const peersCapturing: Group = {
  name: 'peer-snapshot',
  title: `What snapshots add to a turn, ${files.toLocaleString('en')} files, beside other agents`,
  async measure(directory) {
    const { opened, absent } = await openPeers(directory, async (peer, own) => {
      if (typeof peer.snapshots === 'string') return peer.snapshots
      // Each has a project of its own: what one leaves there would be found by the others.
      const [project, data] = [join(own, 'project'), join(own, 'data')]
      await makeProject(project, files)
      await mkdir(data)
      return peer.snapshots(data, project)
    })
    try {
      const [own, ...others] = opened
      const measured = await costOf(own)
      if (typeof measured !== 'number') throw new Error(measured.why)
      const what = 'snapshots of a turn'
      const rows: Row[] = [{ kind: 'fact', what, unit: 'ms', measured }]
      for (const each of others) {
        const cost = await costOf(each)
        rows.push(
          typeof cost === 'number'
            ? { kind: 'fact', what, unit: 'ms', measured, baseline: { what: each.name, measured: cost } }
            : cost,
        )
      }
      return [...rows, ...absent]
    } finally {
      for (const { it } of opened) await it.close()
    }
  },
}

async function costOf({ name, it }: Opened<Snapshots>): Promise<number | Absent> {
  const turn = new Subject(name, it.turn)
  const without = it.without && new Subject(`${name}, without`, it.without)
  const failed = await takeTurns(without ? [turn, without] : [turn], effort)
  const [failure] = failed.values()
  if (failure !== undefined) return { kind: 'absent', what: name, why: failure }
  if (!without) return turn.result.measured
  const cost = turn.result.measured - without.result.measured
  const [low, high] = without.result.spread
  if (cost > (high - low) / 2) return cost
  const [took, alone] = [turn, without].map(({ result }) => result.measured.toFixed(0))
  const why = `lost in the noise: turns took ${took} ms with them and ${alone} ms without`
  return { kind: 'absent', what: name, why }
}
