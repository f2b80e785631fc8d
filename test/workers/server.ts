// A server in a process of its own that tells, when asked, what its memory holds and what waits for its readers.
import { channel } from 'node:diagnostics_channel'
import { ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { setImmediate as nextTick } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { AgentEvent, Driver } from '../../src/agents/driver.ts'
import { createOfflineDriver } from '../../src/agents/offline/offline.ts'
import { findHome } from '../../src/home.ts'
import { openBough } from '../../src/open-bough.ts'
import { serve } from '../../src/server/serve.ts'
import { toldAndWords } from '../../src/tree/prompts.ts'
import type { ServerOrder, ServerReport, Serving } from './server-orders.ts'

const serving: Serving = JSON.parse(process.argv[2] ?? '')
const report = (line: ServerReport) => process.stdout.write(`${JSON.stringify(line)}\n`)

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

// Answers that are streams and still have a reader, or something for one.
const open = new Set<ServerResponse>()
channel('http.server.request.start').subscribe((message) => {
  if (typeof message !== 'object' || message === null || !('response' in message)) return
  const { response } = message
  if (!(response instanceof ServerResponse)) return
  open.add(response)
  response.on('close', () => open.delete(response))
})

/** Says so many megabytes, in messages of 200,000 bytes and pieces of 2,000. */
async function* flood(prompt: string): AsyncGenerator<AgentEvent> {
  const megabytes = Number(toldAndWords(prompt).words)
  for (let piece = 1; piece <= megabytes * 500; piece++) {
    yield { type: 'text', text: `${piece} `.padEnd(2000, '.') }
    await nextTick()
    if (piece % 100 === 0) yield { type: 'message-finished' }
  }
  yield { type: 'turn-finished', reason: 'done' }
}

const home = findHome(process.env)
const offline = createOfflineDriver({ pace: serving.pace })
// It remembers nothing, so that what is measured is the server's.
const flooding: Driver = {
  ...offline,
  name: 'flood',
  open: async () => ({ send: (prompt) => flood(prompt), close: async () => {} }),
}
const drivers = [offline, flooding]
const bough = await openBough(home, { drivers })
const { url } = await serve(bough, {
  ...{ home, host: '127.0.0.1', port: serving.port, isPublic: false, names: [], turns: 64, grace: 0 },
  token: { value: serving.token, file: null },
  workspaces: [serving.project],
  version: '0.0.0',
  onFault: (error) => console.error(error),
})

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id }: ServerOrder = JSON.parse(line)
  collect()
  const { heapUsed, external } = process.memoryUsage()
  const streams = [...open].map(({ writableLength, writableEnded }) => ({
    waiting: writableLength,
    isEnded: writableEnded,
  }))
  report({ kind: 'measured', id, used: heapUsed + external, streams })
})
report({ kind: 'serving', url })
