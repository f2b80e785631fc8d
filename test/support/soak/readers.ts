import { isDeepStrictEqual } from 'node:util'
import type { Bough } from '../../../src/bough.ts'
import type { TreeEvent } from '../../../src/tree/event.ts'
import { anyOf } from '../comeback-acts.ts'
import { type Address, EventReader, type Streamed } from '../event-reader.ts'
import { waitFor } from './harm.ts'
import type { Complain } from './kept-process.ts'

/** Somebody who follows all events, from the first on. */
export interface Reader {
  readonly name: string
  /** Durable events, in the order in which they came. */
  readonly seen: readonly TreeEvent[]
  readonly connections: number
}

/** A reader without a client of ours: it is cut anywhere, and comes back to any server with the number of the last event. */
export function readAnywhere(
  name: string,
  servers: readonly Address[],
  random: () => number,
  complain: Complain,
  over: AbortSignal,
): Reader {
  const reader = { name, seen: [] as TreeEvent[], connections: 0 }
  const onEvent = (event: Streamed) => {
    if (event.kind === 'reset') complain(`${name} was told to load afresh`)
    else if ('at' in event) reader.seen.push(event)
  }
  const go = async () => {
    for (let after = 0; !over.aborted; ) {
      const cutAfter = random() < 0.5 ? 1 + Math.floor(random() * 20_000) : Number.POSITIVE_INFINITY
      const connection = new EventReader(anyOf(random, servers), { after, cutAfter, onEvent })
      const cut = () => connection.cut()
      over.addEventListener('abort', cut)
      const leaves = setTimeout(cut, random() * 20_000)
      await connection.over
      clearTimeout(leaves)
      over.removeEventListener('abort', cut)
      if (connection.status === 200) reader.connections++
      after = connection.lastID ?? after
      await waitFor(100, over)
    }
  }
  void go()
  return reader
}

/** A reader with our client, which has to come back by itself. */
export function readWithClient(name: string, bough: Bough, complain: Complain, signal: AbortSignal): Reader {
  const seen: TreeEvent[] = []
  const go = async () => {
    for await (const event of bough.events({ after: 0, signal })) {
      if (event.kind === 'reset') complain(`${name} was told to load afresh`)
      else seen.push(event)
    }
  }
  go().catch((error) => {
    if (!signal.aborted) complain(`${name} ended: ${error}`)
  })
  return { name, seen, connections: 1 }
}

/** What a reader missed, or was told twice. */
export function brokenReading({ name, seen }: Reader, all: readonly TreeEvent[]): readonly string[] {
  const at = seen.findIndex((event, i) => !isDeepStrictEqual(event, all[i]))
  if (at === -1) return []
  return [`${name} read ${JSON.stringify(seen[at])} where ${JSON.stringify(all[at])} was next`]
}
