// A process that holds a bough and does with it what its test tells it, one line of JSON per order and per report.
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createOfflineDriver } from '../../src/agents/offline/offline.ts'
import type { Bough } from '../../src/bough.ts'
import { openBough } from '../../src/open-bough.ts'
import type { HostReport, Order } from './orders.ts'

const report = (line: HostReport) => process.stdout.write(`${JSON.stringify(line)}\n`)

let bough: Bough | null = null

async function obey(order: Order): Promise<void> {
  const { id } = order
  if (order.do === 'open') {
    await bough?.close()
    bough = await openBough(
      { data: order.data, config: join(order.data, 'config.json') },
      {
        drivers: [createOfflineDriver({ pace: 5 })],
        ...(order.lease !== null && { lease: order.lease }),
      },
    )
    report({ kind: 'opened', id })
    return
  }
  if (bough === null) throw new Error('It has to be opened first.')
  switch (order.do) {
    case 'create': {
      const session = await bough.create({ directory: order.directory })
      report({ kind: 'created', id, sessionID: session.id, at: Date.now() })
      return
    }
    case 'send': {
      const turn = await bough.send(order.sessionID, order.text)
      report({ kind: 'stored', id, turnID: turn.id, promptID: turn.prompt.id })
      report({ kind: 'ended', id, ...(await turn.ended) })
      return
    }
    case 'abort':
      report({ kind: 'aborted', id, any: await bough.abort(order.sessionID) })
  }
}

// Not one after the other: a turn that waits must not keep an abort from being heard.
createInterface({ input: process.stdin }).on('line', (line) => {
  const order: Order = JSON.parse(line)
  obey(order).catch((error) => report({ kind: 'refused', id: order.id, message: String(error) }))
})
report({ kind: 'loaded' })
