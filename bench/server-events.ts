import type { IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Group, Row, Unit } from './row.ts'
import { boughServe } from './server-bundle.ts'
import { type ServerProcess, withServer } from './server-process.ts'
import { quantile } from './server-quantile.ts'

const readers = 200
const perSecond = 50
const seconds = 5

export const serverTelling: Group = {
  name: 'server-events',
  title: `${readers} readers of ${perSecond} events a second`,
  measure: (directory) => withServer(boughServe(directory), tell),
}

async function tell(server: ServerProcess): Promise<readonly Row[]> {
  // One for each change: so it is known which event is of which.
  const ids: string[] = []
  for (let made = 0; made < seconds * perSecond; made++) ids.push(await newSession(server))
  const last = await newSession(server)
  const reading = await Promise.all(Array.from({ length: readers }, () => Reader.open(server)))

  const before = { at: now(), computed: await server.computed() }
  const asked = await makeChanges(server, ids)
  const took = now() - before.at
  const share = ((await server.computed()) - before.computed) / took
  await server.ask('DELETE', `/session/${last}`)
  await Promise.all(reading.map((reader) => reader.hasHeardTheLast))

  const heard = reading.map((reader) => reader.changes())
  if (heard.some(({ length }) => length !== seconds * perSecond)) throw new Error('Not everybody heard all.')
  const delays = (from: (change: HeardChange) => number | undefined): readonly number[] =>
    heard.flat().map((change) => change.arrived - (from(change) ?? Number.NaN))
  const sinceMade = delays(({ at }) => at)
  const sinceAnswered = delays(({ sessionID }) => asked.get(sessionID)?.answered)
  const sinceSent = delays(({ sessionID }) => asked.get(sessionID)?.sent)
  const fact = (what: string, measured: number, unit: Unit = 'ms'): Row => ({
    kind: 'fact',
    what,
    unit,
    measured,
  })
  return [
    // An event's own time has whole milliseconds, and is from before its transaction is on disk.
    fact('from the change to its arrival, p50', quantile(sinceMade, 0.5)),
    fact('  p99', quantile(sinceMade, 0.99)),
    fact("from the change's answer to its arrival, p50", quantile(sinceAnswered, 0.5)),
    fact('  p99', quantile(sinceAnswered, 0.99)),
    fact('from the request to its arrival, p50', quantile(sinceSent, 0.5)),
    fact('  p99', quantile(sinceSent, 0.99)),
    fact("the server's share of a core", share * 100, '%'),
    fact(`how long ${seconds} seconds of changes took`, took),
  ]
}

// The clock of the events, in more than whole milliseconds.
const now = (): number => performance.timeOrigin + performance.now()

const newSession = async (server: ServerProcess): Promise<string> =>
  (await server.make('/session', { agent: 'offline' })).id

interface Asked {
  readonly sent: number
  readonly answered: number
}

/** Changes each session once, at a steady pace, however long an answer takes. */
async function makeChanges(
  server: ServerProcess,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Asked>> {
  const change = async (id: string): Promise<[string, Asked]> => {
    const sent = now()
    await server.ask('PATCH', `/session/${id}`, { labels: ['changed'] })
    return [id, { sent, answered: now() }]
  }
  const begun = now()
  const asked: Promise<[string, Asked]>[] = []
  for (const [place, id] of ids.entries()) {
    const due = begun + (place * 1000) / perSecond
    if (due > now()) await pause(due - now())
    asked.push(change(id))
  }
  return new Map(await Promise.all(asked))
}

interface HeardChange {
  readonly at: number
  readonly sessionID: string
  readonly arrived: number
}

/** Notes what arrives and when; it is looked at when all is over, since that would delay what arrives next. */
class Reader {
  readonly hasHeardTheLast: Promise<void>
  readonly #pieces: { readonly arrived: number; readonly piece: Buffer }[] = []

  /** Resolves when it gets what comes. */
  static async open(server: ServerProcess): Promise<Reader> {
    const stream = await server.open('GET', '/event', undefined, 'text/event-stream')
    const opened = Promise.withResolvers<void>()
    const reader = new Reader(stream, opened.resolve)
    await opened.promise
    return reader
  }

  private constructor(stream: IncomingMessage, onFirst: () => void) {
    this.hasHeardTheLast = new Promise((resolve, reject) => {
      stream.on('data', (piece: Buffer) => {
        this.#pieces.push({ arrived: now(), piece })
        onFirst()
        if (!piece.includes('session.deleted')) return
        resolve()
        stream.destroy()
      })
      stream.on('end', () => reject(new Error('A reader was dropped.')))
      stream.on('error', reject)
    })
    this.hasHeardTheLast.catch(() => {})
  }

  changes(): readonly HeardChange[] {
    const found: HeardChange[] = []
    let rest = ''
    for (const { arrived, piece } of this.#pieces) {
      const events = (rest + piece.toString()).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) {
        const data = /^event: session\.updated\ndata: (.+)$/m.exec(event)?.[1]
        if (data !== undefined) found.push({ ...JSON.parse(data), arrived })
      }
    }
    return found
  }
}
