import { onLine } from '../store/find.ts'
import { readPositions, snapshotAt } from '../store/line.ts'
import type { Reader } from '../store/store.ts'
import type { MessageID, SessionID } from '../tree/ids.ts'
import { type Line, lengthOf } from '../tree/line.ts'
import type { Snapshot } from '../tree/snapshot.ts'

/** The files as they were at a fork point. */
export interface PointFiles {
  readonly snapshot: Snapshot
  /** For a person, when they are not quite those of the point. */
  readonly notice: string | null
  /** They were captured just now: the newest message has the files as they are. */
  readonly isCurrent: boolean
  /** They are older than the conversation: the agent did something after they were captured. */
  readonly isOlder: boolean
  /** Commits that were checked out before, newest first: where that of the snapshot is gone. */
  readonly earlier: readonly string[]
}

/** Finds the files of a fork point on a session's line; null where none were captured, or none are kept. */
export async function pointFiles(
  reader: Reader,
  sessionID: SessionID,
  forkPoint: MessageID | null,
): Promise<PointFiles | null> {
  const line = await reader.sessions.line(sessionID)
  // Before the first message the files were as the first turn found them.
  const position =
    forkPoint === null ? Math.min(lengthOf(line), 1) : (await onLine(reader, line, forkPoint)).position
  const found = await snapshotAt(reader, line, position)
  if (!found) return null
  const kept = await lastKept(reader, line, found.position)
  if (!kept) return null
  const isOlder = await actedBetween(reader, line, kept.position + 1, position)
  return {
    snapshot: kept.snapshot,
    notice: noticeOf(kept, found.position, isOlder),
    isCurrent: false,
    isOlder,
    earlier: await headsBefore(reader, line, kept.position),
  }
}

// What bough tells, and what the person says, changes no file.
async function actedBetween(reader: Reader, line: Line, from: number, to: number): Promise<boolean> {
  for await (const { role } of readPositions(reader, line, from, to))
    if (role === 'assistant' || role === 'tool') return true
  return false
}

interface Found {
  readonly snapshot: Snapshot
  readonly position: number
}

async function lastKept(reader: Reader, line: Line, position: number): Promise<Found | null> {
  for (let at = position; at > 0; ) {
    const found = await snapshotAt(reader, line, at)
    if (!found?.snapshot.freed) return found
    at = found.position - 1
  }
  return null
}

function noticeOf({ snapshot, position }: Found, taken: number, isOlder: boolean): string | null {
  const when = new Date(snapshot.created).toISOString().replace('T', ' ').slice(0, 16)
  if (position < taken) {
    return `The files of that message have been cleaned up since; these are the last ones before it, of ${when} UTC.`
  }
  return isOlder
    ? 'No files were captured at that message, which is inside a turn or was cut off: these are the last ones before it.'
    : null
}

async function headsBefore(reader: Reader, line: Line, position: number): Promise<readonly string[]> {
  const heads = new Set<string>()
  for (let at = position - 1, looks = 0; at > 0 && looks < 50; looks++) {
    const found = await snapshotAt(reader, line, at)
    if (!found) break
    if (found.snapshot.head) heads.add(found.snapshot.head)
    at = found.position - 1
  }
  return [...heads]
}
