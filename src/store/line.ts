import { setImmediate as nextLoop } from 'node:timers/promises'
import type { SessionID } from '../tree/ids.ts'
import { type Line, lengthOf, positionOf, rangesOf } from '../tree/line.ts'
import type { Message } from '../tree/message.ts'
import type { Page } from '../tree/query.ts'
import type { Snapshot } from '../tree/snapshot.ts'
import { addUsage, noUsage, type Usage } from '../tree/usage.ts'
import { onLine } from './find.ts'
import type { Reader } from './store.ts'

type LineReader = Pick<Reader, 'sessions' | 'messages'>

/** So many messages are read at once; between two such reads the event loop gets its turn. */
const batch = 500

/** The messages of a page, oldest first; without a limit all of them. */
export async function readPage(reader: LineReader, id: SessionID, page: Page): Promise<readonly Message[]> {
  const line = await reader.sessions.line(id)
  const end =
    page.before === undefined ? lengthOf(line) : (await onLine(reader, line, page.before)).position - 1
  const start = page.limit === undefined ? 1 : Math.max(end - page.limit + 1, 1)
  return Array.fromAsync(readPositions(reader, line, start, end))
}

/** The messages at positions `from` to `to` of a line, both included, read in pieces. */
export async function* readPositions(
  reader: LineReader,
  line: Line,
  from = 1,
  to = lengthOf(line),
): AsyncIterable<Message> {
  let unbroken = 0
  for (const range of rangesOf(line, from, to)) {
    for (let first = range.from; first <= range.to; first += batch) {
      const last = Math.min(first + batch - 1, range.to)
      const messages = await reader.messages.range({ ...range, from: first, to: last })
      yield* messages
      unbroken += messages.length
      if (unbroken >= batch) {
        await nextLoop()
        unbroken = 0
      }
    }
  }
}

/** So many are read at once from the end: mostly it is the last that is wanted. */
const tail = 20

/** The messages at positions `to`, `to - 1` … of a line. */
export async function* readBackwards(
  reader: LineReader,
  line: Line,
  to = lengthOf(line),
): AsyncIterable<Message> {
  for (let last = to; last >= 1; last -= tail) {
    const page = await Array.fromAsync(readPositions(reader, line, Math.max(last - tail + 1, 1), last))
    yield* page.toReversed()
  }
}

/** What was booked on the messages at positions `from` to `to` of a line. */
export async function usageBetween(reader: LineReader, line: Line, from: number, to: number): Promise<Usage> {
  let sum = noUsage
  for (const range of rangesOf(line, from, to)) sum = addUsage(sum, await reader.messages.usage(range))
  return sum
}

/** A snapshot, and at which message of a line it was taken. */
export interface SnapshotOnLine {
  readonly snapshot: Snapshot
  readonly position: number
}

/** The newest snapshot that was taken at or before a position of a line, and where. */
export async function snapshotAt(
  reader: Pick<Reader, 'snapshots'>,
  line: Line,
  position: number,
): Promise<SnapshotOnLine | null> {
  for (const { sessionID, to } of rangesOf(line, 1, position).toReversed()) {
    const found = await reader.snapshots.before(sessionID, to)
    const snapshot = found && (await reader.snapshots.get(found.id))
    if (snapshot) return { snapshot, position: positionOf(line, sessionID, found.seq) ?? position }
  }
  return null
}
