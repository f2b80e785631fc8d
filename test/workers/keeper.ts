// A process that holds a bough, keeps time or shows a channel, and does with that what its test tells it.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createOfflineDriver } from '../../src/agents/offline/offline.ts'
import { findHome } from '../../src/home.ts'
import { openBough } from '../../src/open-bough.ts'
import type { KeeperOrder, KeeperReport, Keeping } from './keeper-orders.ts'

const keeping: Keeping = JSON.parse(process.argv[2] ?? '')
const report = (line: KeeperReport) => process.stdout.write(`${JSON.stringify(line)}\n`)

const { clock: file, patience, lease, fails } = keeping
const bough = await openBough(keeping.home ?? findHome(process.env), {
  ...{ drivers: [createOfflineDriver({ pace: 0 })], lookEvery: 20 },
  clock: file === null ? Date.now : () => Number(readFileSync(file, 'utf8')),
  ...(patience !== undefined && { patience }),
  ...(lease !== undefined && { lease }),
})
if (keeping.attends !== null)
  await bough.attend(keeping.attends, {
    async show(turn) {
      report({ kind: 'shown', sessionID: turn.sessionID, prompt: turn.prompt.text })
      await turn.ended
      report({ kind: 'over', sessionID: turn.sessionID })
      if (fails === 'show') await new Promise(() => {})
    },
    async send(what, id) {
      report({ kind: 'sent', what })
      if (fails === 'send') throw new Error('The chat does not take it.')
      return id
    },
    edit: async () => {},
    ask: async () => {},
  })
if (keeping.keepsTime) await bough.keepTime()

async function obey(order: KeeperOrder): Promise<void> {
  const { id } = order
  switch (order.do) {
    case 'say':
      await bough.say(order.channelID, order.what)
      return void report({ kind: 'said', id })
    case 'run': {
      const { sessionID } = await bough.runBackground(order.channelID, order.prompt)
      return void report({ kind: 'started', id, sessionID })
    }
    case 'run-schedule':
      await bough.runSchedule(order.scheduleID)
      report({ kind: 'said', id })
  }
}

// Not one after the other: what waits in a queue must not keep the next from coming in.
createInterface({ input: process.stdin }).on('line', (line) => {
  const order: KeeperOrder = JSON.parse(line)
  obey(order).catch((error) => report({ kind: 'refused', id: order.id, message: String(error) }))
})
report({ kind: 'ready' })
