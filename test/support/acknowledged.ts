import type { Store } from '../../src/store/store.ts'
import type { WorkReport } from '../workers/work.ts'
import type { Program } from './program.ts'

/** What a process was told is stored, and is not there as it was told. */
export async function lostFrom(store: Store, reports: readonly WorkReport[]): Promise<readonly WorkReport[]> {
  const lost: WorkReport[] = []
  for (const report of reports) {
    if (report.kind === 'message') {
      const message = await store.messages.get(report.messageID)
      if (message?.sessionID !== report.sessionID) lost.push(report)
    }
    if (report.kind === 'session') {
      const session = await store.sessions.get(report.sessionID)
      if (session?.forkPoint !== report.forkPoint) lost.push(report)
    }
  }
  return lost
}

/** What went wrong in a process, as it said itself. */
export const failuresOf = ({ reports, complaints }: Program<WorkReport>): readonly string[] => [
  ...reports.flatMap((report) => (report.kind === 'failed' ? [report.message] : [])),
  ...(complaints === '' ? [] : [complaints]),
]
