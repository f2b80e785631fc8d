import type { Diff, DiffSide } from '../tree/diff.ts'
import type { SessionID } from '../tree/ids.ts'
import { type Line, lengthOf, sharedLength } from '../tree/line.ts'
import { livingSession } from './find.ts'
import { readPositions, usageBetween } from './line.ts'
import type { Store } from './store.ts'

/** Where two sessions part, and what each said and did after that. */
export async function diffSessions(store: Store, a: SessionID, b: SessionID): Promise<Diff> {
  const [lineA, lineB] = [await store.sessions.line(a), await store.sessions.line(b)]
  const shared = sharedLength(lineA, lineB)
  const [common] = await Array.fromAsync(readPositions(store, lineA, shared, shared))
  return {
    common: common ?? null,
    a: await sideOf(store, a, lineA, shared),
    b: await sideOf(store, b, lineB, shared),
  }
}

async function sideOf(store: Store, id: SessionID, line: Line, shared: number): Promise<DiffSide> {
  const from = shared + 1
  return {
    session: await livingSession(store, id),
    tail: await Array.fromAsync(readPositions(store, line, from)),
    usage: await usageBetween(store, line, from, lengthOf(line)),
  }
}
