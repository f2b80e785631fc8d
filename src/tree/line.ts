import type { SessionID } from './ids.ts'

/** The first `last` messages of one session: the stretch of a line that lies in it. */
export interface Segment {
  readonly sessionID: SessionID
  readonly last: number
}

/** All that a session's agent is given, oldest first. This file is the only one that counts along it. */
export type Line = readonly Segment[]

/** Messages `from` to `to` of one session, both included. */
export interface Range {
  readonly sessionID: SessionID
  readonly from: number
  readonly to: number
}

export const lengthOf = (line: Line): number => line.reduce((sum, segment) => sum + segment.last, 0)

/** Where on the line message `seq` of a session stands, counted from 1; null when it is not on it. */
export function positionOf(line: Line, sessionID: SessionID, seq: number): number | null {
  let before = 0
  for (const segment of line) {
    if (segment.sessionID === sessionID) return seq >= 1 && seq <= segment.last ? before + seq : null
    before += segment.last
  }
  return null
}

/** The messages at positions `from` to `to` (counted from 1, both included), as ranges to read, oldest first. */
export function rangesOf(line: Line, from: number, to: number): readonly Range[] {
  const ranges: Range[] = []
  let before = 0
  for (const { sessionID, last } of line) {
    const first = Math.max(from - before, 1)
    const final = Math.min(to - before, last)
    if (first <= final) ranges.push({ sessionID, from: first, to: final })
    before += last
  }
  return ranges
}

/** How many messages two lines share, counted from their beginning. */
export function sharedLength(a: Line, b: Line): number {
  let shared = 0
  for (const [i, segment] of a.entries()) {
    const other = b[i]
    if (other?.sessionID !== segment.sessionID) break
    shared += Math.min(segment.last, other.last)
    if (segment.last !== other.last) break
  }
  return shared
}
