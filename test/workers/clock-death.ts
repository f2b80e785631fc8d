// A process that goes through turns and a fork, and dies when it reads its clock for the nth time. The clock is read
// inside transactions too, so that each of those readings is a place between two statements.
import { createOfflineDriver } from '../../src/agents/offline/offline.ts'
import { findHome } from '../../src/home.ts'
import { openBough } from '../../src/open-bough.ts'
import type { SessionID } from '../../src/tree/ids.ts'
import type { DeathReport, WorkReport } from './work.ts'

const [directory = '', deadlyReading = ''] = process.argv.slice(2)
const report = (line: WorkReport | DeathReport) => process.stdout.write(`${JSON.stringify(line)}\n`)

let readings = 0
function clock(): number {
  readings += 1
  if (readings === Number(deadlyReading)) process.kill(process.pid, 'SIGKILL')
  return Date.now()
}

const bough = await openBough(findHome(process.env), { clock, drivers: [createOfflineDriver({ pace: 0 })] })

async function takeTurn(sessionID: SessionID, text: string): Promise<void> {
  const turn = await bough.send(sessionID, text)
  for await (const event of turn.events) {
    if (event.type === 'message') report({ kind: 'message', messageID: event.message.id, sessionID })
  }
}

const { id } = await bough.create({ directory })
report({ kind: 'session', sessionID: id, forkPoint: null })
await takeTurn(id, 'write a.txt: 1\nwords 5')
const fork = await bough.fork(id, { files: 'same' })
report({ kind: 'session', sessionID: fork.id, forkPoint: fork.forkPoint })
await takeTurn(fork.id, 'fail For once')
await bough.close()
report({ kind: 'survived', readings })
